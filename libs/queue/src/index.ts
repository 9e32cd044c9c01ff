export { DOCUMENT_QUEUE, DocumentJobsService } from './document-jobs.service.js';
export { openQueues } from './open-queues.js';
export { probeQueue } from './probe-queue.js';
export { queueOptions, WAKE_QUEUES, WAKE_WORKER } from './queue-options.js';
export { prepareQueueSchema } from './queue-schema.js';
export { QueueModule } from './queue.module.js';
export { WakeUpsService } from './wake-ups.service.js';
