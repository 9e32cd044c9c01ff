export { TestWebhooksService } from './deliveries/test-webhooks.service.js';
export type { ActionDelivery, DeliveryFilter } from './deliveries/webhook-deliveries.repository.js';
export { type RangeReplay, WebhookDeliveriesService } from './deliveries/webhook-deliveries.service.js';
export {
  outboxCte,
  releaseCte,
  toolDeliveriesCte,
  WebhookOutboxRepository,
} from './deliveries/webhook-outbox.repository.js';
export type { ReplayRange } from './deliveries/webhook-replays.repository.js';
export { WebhookRetentionService } from './deliveries/webhook-retention.service.js';
export { WebhookBacklogRepository } from './dispatch/webhook-backlog.repository.js';
export type { DispatchSettings } from './dispatch/dispatch-settings.js';
export { WebhookDispatchModule } from './dispatch/webhook-dispatch.module.js';
export { WebhookDispatcherService } from './dispatch/webhook-dispatcher.service.js';
export { BREAKER_LIMITS, type BreakerLimits } from './domain/breaker.js';
export {
  type AwaitedDelivery,
  type CallEvent,
  type CampaignOutboxEvent,
  campaignRecord,
  type CampaignWebhookEvent,
  DELIVERY_STATES,
  type DeliveryRecord,
  deliveryRecord,
  type DeliveryState,
  type OutboxEvent,
  type StoredWebhook,
  testRunRecord,
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
  maskHeaders,
  MAX_HEADERS,
  newWebhookSecret,
  openHeaders,
  sealHeaders,
  validateWebhookHeaders,
  type WebhookHeader,
} from './domain/webhook-headers.js';
export { ENDPOINT_STATES, type EndpointState } from './endpoints/webhook-endpoints.repository.js';
export { type WebhookEndpoint, WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';
export { attemptView, deliveryView, type DeliveryView } from './presenters/delivery.presenter.js';
export {
  DEFAULT_OVERLAP_HOURS,
  MAX_OVERLAP_HOURS,
  SigningSecretsService,
  WebhookSecretsService,
} from './secrets/webhook-secrets.service.js';
export { WebhooksModule } from './webhooks.module.js';
