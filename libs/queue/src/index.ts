export { DOCUMENT_QUEUE, DocumentJobs } from './document-jobs.js';
export { openQueues } from './open-queues.js';
export { probeQueue } from './probe-queue.js';
export { queueOptions, WAKE_QUEUES, WAKE_WORKER } from './queue-options.js';
export { prepareQueueSchema } from './queue-schema.js';
export { QueueModule } from './queue.module.js';
export { WakeUps } from './wake-ups.js';
