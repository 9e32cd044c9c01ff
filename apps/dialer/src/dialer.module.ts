import { AgentsModule, PRICE_BOOK, SummaryModel } from '@app/agents';
import { AccountsModule, TrunksService } from '@app/accounts';
import {
  CallClaimsService,
  CallDiagnosticsService,
  CallEventsService,
  CallProgressService,
  CallsModule,
  DialersService,
  RecordingsService,
} from '@app/calls';
import { Encryption, type Env, type Log } from '@app/common';
import { Database, DatabaseModule } from '@app/database';
import { KnowledgeSearchModule, KnowledgeSearchService } from '@app/knowledge';
import { QueueModule, WakeUps } from '@app/queue';
import { SettingsModule } from '@app/settings';
import { Storage, StorageModule } from '@app/storage';
import { ToolRunner, ToolsModule } from '@app/tools';
import { EgressModule } from '@app/egress';
import type { PriceBook } from '@app/voice';
import { type DynamicModule, Module } from '@nestjs/common';
import { CallContextService } from './call-context.service.js';
import { DialProcessor } from './dial.processor.js';
import { Dialer } from './dialer.js';
import { openDialer, type OpenDialer } from './open-dialer.js';

/** `app.get<OpenDialer>(DIALER)`. */
export const DIALER = Symbol('DIALER');

/** The composition root of the dialer process. `onLost`: its calls were given to others, the process must end. */
@Module({})
export class DialerModule {
  static forRoot(env: Env, log: Log, onLost: () => void): DynamicModule {
    return {
      module: DialerModule,
      imports: [
        SettingsModule.forRoot({ env, log, role: 'dialer' }),
        DatabaseModule.forRoot(),
        StorageModule,
        EgressModule,
        AccountsModule,
        CallsModule,
        ToolsModule,
        AgentsModule,
        QueueModule.forRoot(env, log),
        KnowledgeSearchModule,
      ],
      providers: [
        {
          provide: DIALER,
          inject: [
            ...[Database, Encryption, Storage, KnowledgeSearchService, WakeUps, ToolRunner, TrunksService],
            ...[PRICE_BOOK, SummaryModel],
            ...[CallClaimsService, CallContextService, CallDiagnosticsService],
            ...[DialersService, CallEventsService, CallProgressService, RecordingsService],
          ],
          useFactory: (
            database: Database,
            encryption: Encryption,
            storage: Storage,
            knowledge: KnowledgeSearchService,
            wakeUps: WakeUps,
            runner: ToolRunner,
            trunks: TrunksService,
            prices: PriceBook,
            summaries: SummaryModel,
            claims: CallClaimsService,
            contexts: CallContextService,
            diagnostics: CallDiagnosticsService,
            dialers: DialersService,
            events: CallEventsService,
            progress: CallProgressService,
            recordings: RecordingsService,
          ) => {
            const wakeWebhooks = (): void => wakeUps.wake('webhooks');
            const features = { prices, summaries, claims, contexts, diagnostics, dialers, events, progress, recordings };
            return openDialer({ env, log, database, encryption, storage, knowledge, runner, trunks, onLost, wakeWebhooks, ...features });
          },
        },
        CallContextService,
        { provide: Dialer, inject: [DIALER], useFactory: ({ dialer }: OpenDialer) => dialer },
        DialProcessor,
      ],
    };
  }
}
