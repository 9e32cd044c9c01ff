export { urlProblem as validateWebhookUrl } from '@app/common';
export * from './attempt-retention.js';
export { BREAKER_LIMITS, type BreakerLimits } from './breaker.js';
export { connectionProblem } from './connection-problem.js';
export * from './delivery-retention.js';
export * from './dispatcher.js';
export {
  countEndpoints,
  disabledAmong,
  enableEndpoint,
  ENDPOINT_STATES,
  findEndpoint,
  listEndpoints,
  type DisabledReason,
  type EndpointFilter,
  type EndpointState,
  type WebhookEndpoint,
} from './endpoints.js';
export { purgeOldEndpoints } from './endpoint-news.js';
export * from './headers.js';
export { purgeOldHosts } from './hosts.js';
export * from './outbox.js';
export * from './retry-schedule.js';
export * from './sign.js';
export { currentSecrets, SigningSecrets } from './signing-secrets.js';
export { releaseCte, toolDeliveriesCte, type ToolDeliveryRecord } from './tool-deliveries.js';
