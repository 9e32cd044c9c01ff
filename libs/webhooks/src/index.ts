export { urlProblem as validateWebhookUrl } from '@app/common';
export * from './headers.js';
export * from './outbox.js';
export * from './sign.js';
