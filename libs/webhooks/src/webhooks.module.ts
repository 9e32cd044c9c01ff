import { AuditModule } from '@app/audit';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TestWebhooksService } from './deliveries/test-webhooks.service.js';
import { WebhookBacklogRepository } from './dispatch/webhook-backlog.repository.js';
import { WebhookDeliveriesRepository } from './deliveries/webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './deliveries/webhook-deliveries.service.js';
import { WebhookEndpointEntity } from './endpoints/webhook-endpoint.entity.js';
import { WebhookEndpointsRepository } from './endpoints/webhook-endpoints.repository.js';
import { WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';
import { WebhookHostsRepository } from './dispatch/webhook-hosts.repository.js';
import { WebhookOutboxRepository } from './deliveries/webhook-outbox.repository.js';
import { WebhookReplaysRepository } from './deliveries/webhook-replays.repository.js';
import { WebhookRetentionService } from './deliveries/webhook-retention.service.js';
import { WebhookSecretEntity } from './secrets/webhook-secret.entity.js';
import { WebhookSecretsRepository } from './secrets/webhook-secrets.repository.js';
import { WebhookSecretsService, SigningSecretsService } from './secrets/webhook-secrets.service.js';

const SERVICES = [
  SigningSecretsService,
  TestWebhooksService,
  WebhookDeliveriesService,
  WebhookEndpointsService,
  WebhookOutboxRepository,
  WebhookRetentionService,
  WebhookSecretsService,
];

/** The outbox, the log of deliveries, endpoints and signing secrets. WebhookDispatchModule sends the deliveries. */
@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([WebhookEndpointEntity, WebhookSecretEntity])],
  providers: [
    ...SERVICES,
    WebhookBacklogRepository,
    WebhookDeliveriesRepository,
    WebhookEndpointsRepository,
    WebhookHostsRepository,
    WebhookReplaysRepository,
    WebhookSecretsRepository,
  ],
  // The dispatch module reports the health of endpoints and hosts.
  exports: [...SERVICES, WebhookBacklogRepository, WebhookEndpointsRepository, WebhookHostsRepository],
})
export class WebhooksModule {}
