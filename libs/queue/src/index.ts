export * from './document-jobs.js';
export * from './queue-options.js';
export * from './queue.module.js';
export * from './wake-ups.js';
