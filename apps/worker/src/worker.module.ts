import { AccountsModule, StorageQuotaService } from '@app/accounts';
import { AuditModule, AuditService } from '@app/audit';
import { AuthModule, RateLimitsService } from '@app/auth';
import { Encryption, type Env, type Log } from '@app/common';
import { Database, DatabaseModule } from '@app/database';
import { Egress, EgressModule } from '@app/egress';
import { Ingest } from '@app/knowledge';
import { QueueModule } from '@app/queue';
import { OWNER, SettingsModule } from '@app/settings';
import { Storage, StorageModule } from '@app/storage';
import { WebhookDispatcher } from '@app/webhooks';
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
        QueueModule.forRoot(env, log),
        AccountsModule,
        AuditModule,
        AuthModule,
      ],
      providers: [
        {
          provide: WORKER,
          inject: [OWNER, Database, Encryption, Egress, Storage, AuditService, RateLimitsService, StorageQuotaService],
          useFactory: (
            owner: string,
            database: Database,
            encryption: Encryption,
            egress: Egress,
            storage: Storage,
            audit: AuditService,
            limits: RateLimitsService,
            quota: StorageQuotaService,
          ): Promise<OpenWorker> =>
            openWorker({ env, log, owner, database, encryption, egress, storage, audit, limits, quota }),
        },
        { provide: WebhookDispatcher, inject: [WORKER], useFactory: ({ dispatcher }: OpenWorker) => dispatcher },
        { provide: Ingest, inject: [WORKER], useFactory: ({ ingest }: OpenWorker) => ingest },
        WebhooksProcessor,
        DocumentsProcessor,
      ],
    };
  }
}
