import { Encryption, type Env, type Log } from '@app/common';
import { Database, DatabaseModule } from '@app/database';
import { Egress, EgressModule } from '@app/egress';
import {
  DocumentIngestService,
  DocumentPipelineModule,
  EmbeddingsService,
  KnowledgeBasesModule,
  KnowledgeBasesService,
} from '@app/knowledge';
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
        KnowledgeBasesModule,
        DocumentPipelineModule,
      ],
      providers: [
        {
          provide: WORKER,
          inject: [
            OWNER,
            Database,
            Encryption,
            Egress,
            Storage,
            DocumentIngestService,
            KnowledgeBasesService,
            EmbeddingsService,
          ],
          useFactory: (
            owner: string,
            database: Database,
            encryption: Encryption,
            egress: Egress,
            storage: Storage,
            documents: DocumentIngestService,
            knowledgeBases: KnowledgeBasesService,
            embeddings: EmbeddingsService,
          ): Promise<OpenWorker> =>
            openWorker({
              env,
              log,
              owner,
              database,
              encryption,
              egress,
              storage,
              documents,
              knowledgeBases,
              embeddings,
            }),
        },
        { provide: WebhookDispatcher, inject: [WORKER], useFactory: ({ dispatcher }: OpenWorker) => dispatcher },
        WebhooksProcessor,
        DocumentsProcessor,
      ],
    };
  }
}
