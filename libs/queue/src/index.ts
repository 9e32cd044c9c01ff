export * from './document-jobs.js';
export { openQueues } from './open-queues.js';
export { probeQueue, type QueueProbe } from './probe-queue.js';
export * from './queue-options.js';
export * from './queue.module.js';
export { prepareQueueSchema } from './queue-schema.js';
export * from './wake-ups.js';
