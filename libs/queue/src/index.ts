export { DOCUMENT_QUEUE, DocumentJobs } from './document-jobs.js';
export { openQueues } from './open-queues.js';
export { probeQueue } from './probe-queue.js';
export { WAKE_QUEUES, queueOptions, WAKE_WORKER } from './queue-options.js';
export { QueueModule } from './queue.module.js';
export { prepareQueueSchema } from './queue-schema.js';
export { WakeUps } from './wake-ups.js';
