import { workerData } from 'node:worker_threads';

/**
 * A thread beside a parser: it goes on while the parser blocks, and neither wasm nor buffers are in the heap that V8 limits
 * (a PDF of 2 MB took 4.4 GB under a limit of 256 MB). It ends the process when that has grown too large, and when the
 * parent is gone, which a parser that blocks does not notice.
 */
const { rssBytes, parent } = workerData as { rssBytes: number; parent: number };
const EVERY_MS = 50;

setInterval(() => {
  if (process.memoryUsage.rss() > rssBytes || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, EVERY_MS);
