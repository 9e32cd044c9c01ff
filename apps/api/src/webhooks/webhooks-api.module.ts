import { AgentsModule } from '@app/agents';
import { CallsModule } from '@app/calls';
import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { DeliveriesController } from './deliveries.controller.js';
import { EndpointsController } from './endpoints.controller.js';
import { SecretsController } from './secrets.controller.js';
import { TestWebhookController } from './test-webhook.controller.js';

/** Deliveries, endpoints, signing secrets and test webhooks. */
@Module({
  imports: [AgentsModule, CallsModule, WebhooksModule],
  controllers: [DeliveriesController, EndpointsController, SecretsController, TestWebhookController],
})
export class WebhooksApiModule {}
