import { AuditModule } from '@app/audit';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TestWebhooksService } from './test-webhooks.service.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookDeliveryEntity, WebhookAttemptEntity } from './webhook-delivery.entity.js';
import { WebhookEndpointEntity, WebhookHostEntity } from './webhook-endpoint.entity.js';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';
import { WebhookHostsRepository } from './webhook-hosts.repository.js';
import { WebhookOutbox } from './webhook-outbox.repository.js';
import { WebhookReplaysRepository } from './webhook-replays.repository.js';
import { WebhookRetentionService } from './webhook-retention.service.js';
import { WebhookSecretEntity } from './webhook-secret.entity.js';
import { WebhookSecretsRepository } from './webhook-secrets.repository.js';
import { WebhookSecretsService, SigningSecrets } from './webhook-secrets.service.js';
import { WebhookStreamEntity } from './webhook-stream.entity.js';

const ENTITIES = [
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  WebhookEndpointEntity,
  WebhookHostEntity,
  WebhookSecretEntity,
  WebhookStreamEntity,
];

const SERVICES = [
  SigningSecrets,
  TestWebhooksService,
  WebhookDeliveriesService,
  WebhookEndpointsService,
  WebhookOutbox,
  WebhookRetentionService,
  WebhookSecretsService,
];

/** The outbox, the log of deliveries, endpoints and signing secrets. WebhookDispatchModule sends the deliveries. */
@Module({
  imports: [AuditModule, TypeOrmModule.forFeature(ENTITIES)],
  providers: [
    ...SERVICES,
    WebhookDeliveriesRepository,
    WebhookEndpointsRepository,
    WebhookHostsRepository,
    WebhookReplaysRepository,
    WebhookSecretsRepository,
  ],
  // The dispatch module reports the health of endpoints and hosts.
  exports: [...SERVICES, WebhookEndpointsRepository, WebhookHostsRepository],
})
export class WebhooksModule {}
