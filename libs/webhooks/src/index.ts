export type { DispatchSettings } from './dispatch-settings.js';
export { connectionProblem } from './domain/attempt-outcome.js';
export { BREAKER_LIMITS, type BreakerLimits } from './domain/breaker.js';
export {
  type AwaitedDelivery,
  type CallEvent,
  type CampaignOutboxEvent,
  type CampaignWebhookEvent,
  DELIVERY_STATES,
  type DeliveryRecord,
  deliveryRecord,
  type DeliveryState,
  type OutboxEvent,
  type StoredWebhook,
  type ToolDeliveryRecord,
  WEBHOOK_TYPES,
  type WebhookType,
} from './domain/delivery-record.js';
export type { DisabledReason } from './domain/endpoint-health.js';
export type { RetrySchedule } from './domain/retry-schedule.js';
export { sealRequest } from './domain/sealed-request.js';
export {
  headerErrors,
  headerProblems,
  MASK,
  maskedHeaders,
  newWebhookSecret,
  openHeaders,
  sealHeaders,
  sign,
  validateWebhookHeaders,
  type WebhookHeader,
} from './domain/webhook-headers.js';
export { deliveryView, type DeliveryView } from './presenters/delivery.presenter.js';
export { type TestTarget, TestWebhooksService } from './test-webhooks.service.js';
export { AGENT_WEBHOOKS, type AgentWebhook, type DeliveryFilter } from './webhook-deliveries.repository.js';
export { WebhookDeliveriesService } from './webhook-deliveries.service.js';
export { WebhookDispatchModule } from './webhook-dispatch.module.js';
export { WebhookDispatcher } from './webhook-dispatcher.service.js';
export { ENDPOINT_STATES, type EndpointState } from './webhook-endpoints.repository.js';
export { type WebhookEndpoint, WebhookEndpointsService } from './webhook-endpoints.service.js';
export { outboxCte, releaseCte, toolDeliveriesCte, WebhookOutbox } from './webhook-outbox.repository.js';
export type { ReplayRange } from './webhook-replays.repository.js';
export { WebhookRetentionService } from './webhook-retention.service.js';
export {
  DEFAULT_OVERLAP_HOURS,
  MAX_OVERLAP_HOURS,
  SigningSecrets,
  WebhookSecretsService,
} from './webhook-secrets.service.js';
export { WebhooksModule } from './webhooks.module.js';
