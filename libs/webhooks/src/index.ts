export { urlProblem as validateWebhookUrl } from '@app/common';
export * from './attempt-retention.js';
export * from './dispatcher.js';
export * from './headers.js';
export * from './outbox.js';
export * from './retry-schedule.js';
export * from './sign.js';
export { currentSecrets } from './signing-secrets.js';
