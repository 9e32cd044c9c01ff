import type { Env } from '@app/common';
import { egressUrlRules } from '@app/egress';
import { Module } from '@nestjs/common';
import { ENV } from '@app/settings';
import { DeliveriesController } from './deliveries.controller.js';
import { EndpointsController } from './endpoints.controller.js';
import { SecretsController } from './secrets.controller.js';
import { TestWebhookController } from './test-webhook.controller.js';
import { WEBHOOK_URL_RULES } from './url-rules.js';

/** What is sent, where it goes and what it is signed with. */
@Module({
  controllers: [DeliveriesController, EndpointsController, SecretsController, TestWebhookController],
  providers: [
    {
      provide: WEBHOOK_URL_RULES,
      inject: [ENV],
      useFactory: (env: Env) => egressUrlRules(env),
    },
  ],
  exports: [WEBHOOK_URL_RULES],
})
export class WebhooksModule {}
