import { allowList, type Env } from '@app/common';
import { Module } from '@nestjs/common';
import { ENV } from '../core.module.js';

/** The `UrlRules` of this installation, for every route that takes a webhook URL. */
export const WEBHOOK_URL_RULES = 'WEBHOOK_URL_RULES';

@Module({
  providers: [
    {
      provide: WEBHOOK_URL_RULES,
      inject: [ENV],
      useFactory: (env: Env) => ({ httpsOnly: env.HTTPS_ONLY, allow: allowList(env.EGRESS_ALLOW_CIDRS) }),
    },
  ],
  exports: [WEBHOOK_URL_RULES],
})
export class WebhooksModule {}
