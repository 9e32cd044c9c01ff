import { Encryption } from '@app/common';
import type { UrlRules } from '@app/egress';
import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { WEBHOOK_URL_RULES, WebhooksModule } from '@app/webhooks';
import { ToolsController } from './tools.controller.js';
import { ToolsService } from './tools.service.js';

@Module({
  imports: [WebhooksModule],
  controllers: [ToolsController],
  providers: [
    {
      provide: ToolsService,
      inject: [Pool, Encryption, WEBHOOK_URL_RULES],
      useFactory: (pool: Pool, encryption: Encryption, urlRules: UrlRules) =>
        new ToolsService({ pool, encryption, urlRules }),
    },
  ],
})
export class ToolsModule {}
