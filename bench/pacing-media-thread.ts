import { parentPort } from 'node:worker_threads';
import { serveMedia } from '@app/telephony';
import { pacingTasks } from './pacing-tasks.js';

const log = { debug: () => undefined, warn: () => undefined };
serveMedia(parentPort!, { priority: 'auto', media: { bindAddress: '127.0.0.1' }, tasks: pacingTasks(), log });
