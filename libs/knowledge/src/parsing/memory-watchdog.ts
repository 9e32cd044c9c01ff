import { workerData } from 'node:worker_threads';

/**
 * A thread beside the parser, which runs even while the parser blocks. V8's heap limit covers neither wasm nor buffers (a PDF of
 * 2 MB took 4.4 GB under a limit of 256 MB). The thread kills the process when it uses too much memory, and when the parent has
 * exited, which a blocked parser does not notice.
 */
const { rssBytes, parent } = workerData as { rssBytes: number; parent: number };
const EVERY_MS = 50;

setInterval(() => {
  if (process.memoryUsage.rss() > rssBytes || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, EVERY_MS);
