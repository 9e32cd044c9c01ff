import { CallRetentionService, CallsModule, DialersService } from '@app/calls';
import { Encryption, type Env, type Log } from '@app/common';
import { Database, DatabaseModule } from '@app/database';
import { Egress, EgressModule } from '@app/egress';
import { Ingest } from '@app/knowledge';
import { QueueModule } from '@app/queue';
import { OWNER, SettingsModule } from '@app/settings';
import { Storage, StorageModule } from '@app/storage';
import { ToolInvocationsService, ToolsModule } from '@app/tools';
import { WebhookDispatcher, WebhookDispatchModule, WebhookRetentionService, WebhooksModule } from '@app/webhooks';
import { type DynamicModule, Module } from '@nestjs/common';
import { DocumentsProcessor } from './documents.processor.js';
import { openWorker, type OpenWorker } from './open-worker.js';
import { WebhooksProcessor } from './webhooks.processor.js';

/** `app.get<OpenWorker>(WORKER)`. */
export const WORKER = Symbol('WORKER');

/** The composition root of the worker process. */
@Module({})
export class WorkerModule {
  static forRoot(env: Env, log: Log): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        SettingsModule.forRoot({ env, log, role: 'worker' }),
        DatabaseModule.forRoot(),
        StorageModule,
        EgressModule,
        CallsModule,
        QueueModule.forRoot(env, log),
        ToolsModule,
        WebhooksModule,
        WebhookDispatchModule.forRoot(),
      ],
      providers: [
        {
          provide: WORKER,
          inject: [
            ...[OWNER, Database, Encryption, Egress, Storage, ToolInvocationsService],
            ...[CallRetentionService, DialersService, WebhookDispatcher, WebhookRetentionService],
          ],
          useFactory: (
            owner: string,
            database: Database,
            encryption: Encryption,
            egress: Egress,
            storage: Storage,
            invocations: ToolInvocationsService,
            calls: CallRetentionService,
            dialers: DialersService,
            dispatcher: WebhookDispatcher,
            webhooks: WebhookRetentionService,
          ): Promise<OpenWorker> => {
            const features = { invocations, calls, dialers, dispatcher, webhooks };
            return openWorker({ env, log, owner, database, encryption, egress, storage, ...features });
          },
        },
        { provide: Ingest, inject: [WORKER], useFactory: ({ ingest }: OpenWorker) => ingest },
        WebhooksProcessor,
        DocumentsProcessor,
      ],
    };
  }
}
