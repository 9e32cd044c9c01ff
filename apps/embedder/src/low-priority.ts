import { existsSync, readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** As of parsers of documents: calls and requests go first where processors are scarce. */
const PRIORITY = 10;
/** Linux has a priority for each thread. */
const THREADS = '/proc/self/task';

const threads = existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [process.pid];
for (const thread of threads) setPriority(thread, PRIORITY);
