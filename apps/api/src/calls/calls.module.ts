import { TokensService } from '@app/auth';
import { type CallRules, type Links, RecordingFiles, WaitingLines } from '@app/calls';
import { allowList, type Env, type Log, Encryption } from '@app/common';
import type { UrlRules } from '@app/egress';
import { WakeUps } from '@app/queue';
import { Storage } from '@app/storage';
import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { ENV, LOG } from '@app/settings';
import { LINKS } from '../core.module.js';
import { WEBHOOK_URL_RULES } from '../webhooks/url-rules.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { CallTranscriptController } from './call-transcript.controller.js';
import { CallEventsController } from './call-events.controller.js';
import { CallStreams } from './call-streams.js';
import { CallsController } from './calls.controller.js';
import { CallsService } from './calls.service.js';
import { DiagnosticsController } from './diagnostics.controller.js';
import { RecordingsController } from './recordings.controller.js';
import { TranscriptsController } from './transcripts.controller.js';

const CALL_RULES = 'CALL_RULES';

@Module({
  imports: [WebhooksModule],
  controllers: [
    CallsController,
    CallEventsController,
    CallTranscriptController,
    DiagnosticsController,
    RecordingsController,
    TranscriptsController,
  ],
  providers: [
    {
      provide: CallStreams,
      inject: [Pool, LOG, TokensService],
      useFactory: (pool: Pool, log: Log, tokens: TokensService) => new CallStreams(pool, log, tokens),
    },
    {
      provide: CALL_RULES,
      inject: [ENV, WEBHOOK_URL_RULES],
      useFactory: (env: Env, webhookUrls: UrlRules): CallRules => ({
        maxDestinations: env.MAX_DESTINATIONS,
        sipAllow: allowList(env.SIP_ALLOW_CIDRS),
        webhookUrls,
      }),
    },
    {
      provide: CallsService,
      inject: [ENV, CALL_RULES, Pool, Encryption, Storage, LINKS, WakeUps],
      useFactory: (
        env: Env,
        rules: CallRules,
        pool: Pool,
        encryption: Encryption,
        storage: Storage,
        links: Links,
        wakeUps: WakeUps,
      ) =>
        new CallsService({
          rules,
          pool,
          encryption,
          storage,
          recordings: new RecordingFiles(env.TRUNKLINE_HOME),
          links,
          lines: new WaitingLines(),
          wake: (queue) => wakeUps.wake(queue),
        }),
    },
  ],
})
export class CallsModule {}
