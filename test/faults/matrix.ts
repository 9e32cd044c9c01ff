import type { Row } from './row.js';
import { API } from './rows/api.js';
import { CLOCKS } from './rows/clocks.js';
import { DATABASE } from './rows/database.js';
import { REDIS } from './rows/redis.js';
import { SINK } from './rows/sink.js';
import { WORKERS } from './rows/workers.js';

/** Every fault that the service is put through. */
export const MATRIX: readonly Row[] = [...WORKERS, ...DATABASE, ...SINK, ...REDIS, ...CLOCKS, ...API];
