import type { Row } from './row.js';
import { API } from './rows/api.js';
import { CALLS_LOST } from './rows/calls.js';
import { CLOCKS } from './rows/clocks.js';
import { DATABASE } from './rows/database.js';
import { DISK } from './rows/disk.js';
import { DOCUMENTS } from './rows/documents.js';
import { REDIS } from './rows/redis.js';
import { ROLLING } from './rows/rolling.js';
import { SINK } from './rows/sink.js';
import { STORAGE } from './rows/storage.js';
import { TOOLS } from './rows/tools.js';
import { WEB_CALLS } from './rows/web-calls.js';
import { WORKERS } from './rows/workers.js';

/** All rows of the fault matrix. */
export const MATRIX: readonly Row[] = [
  ...WORKERS,
  ...DATABASE,
  ...DISK,
  ...STORAGE,
  ...REDIS,
  ...CLOCKS,
  ...SINK,
  ...API,
  ...CALLS_LOST,
  ...WEB_CALLS,
  ...DOCUMENTS,
  ...TOOLS,
  ...ROLLING,
];
