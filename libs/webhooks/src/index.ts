export { urlProblem as validateWebhookUrl } from '@app/egress';
export * from './attempt-retention.js';
export { BREAKER_LIMITS, type BreakerLimits } from './breaker.js';
export { connectionProblem } from './connection-problem.js';
export * from './delivery-retention.js';
export * from './delivery-filter.js';
export * from './delivery-state.js';
export { attemptView, type AttemptRow, deliveryView, type DeliveryView } from './delivery-view.js';
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
export { deliveryRow, findDelivery } from './find-delivery.js';
export * from './list-deliveries.js';
export * from './outbox.js';
export { replayDelivery } from './replay-delivery.js';
export { chunkQuery, replayRange, type RangeReplay, type ReplayRange } from './replay-range.js';
export * from './retry-schedule.js';
export * from './sign.js';
export { currentSecrets, SigningSecrets } from './signing-secrets.js';
export { releaseCte, toolDeliveriesCte, type ToolDeliveryRecord } from './tool-deliveries.js';
export { writeTestDelivery, type TestWebhook } from './test-delivery.js';
export { AGENT_WEBHOOKS, type AgentWebhook, type TestOrder, testTarget } from './test-target.js';
