export { JobProcessor, workerOptions } from './job-processor.js';
export { openQueues } from './open-queues.js';
export { probeQueue } from './probe-queue.js';
export { queueOptions } from './queue-options.js';
export { prepareQueueSchema } from './queue-schema.js';
export { type QueueState, QueueStatesService } from './queue-states.service.js';
export { QueueModule } from './queue.module.js';
export { QUEUE_NAMES } from './queues.js';
export { WakeUpsService } from './wake-ups.service.js';
