import { AccountsModule } from '@app/accounts';
import { AuditModule } from '@app/audit';
import { AuthModule } from '@app/auth';
import { CallsModule } from '@app/calls';
import { CampaignImportRunner, CampaignRunnerService, CampaignsModule } from '@app/campaigns';
import type { Env, Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { EgressModule } from '@app/egress';
import {
  DocumentIngestService,
  DocumentPipelineModule,
  DueTestsService,
  EmbedderChecksService,
  KnowledgeBasesModule,
} from '@app/knowledge';
import { QueueModule } from '@app/queue';
import { SettingsModule } from '@app/settings';
import { StorageModule } from '@app/storage';
import { ToolsModule } from '@app/tools';
import { WebhookDispatcher, WebhookDispatchModule, WebhooksModule } from '@app/webhooks';
import { type DynamicModule, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CampaignsProcessor } from './campaigns.processor.js';
import { DocumentsProcessor } from './documents.processor.js';
import { MonitoringService } from './monitoring.service.js';
import { PeriodicTasksService } from './periodic-tasks.service.js';
import { PurgeService } from './purge.service.js';
import { RetentionService } from './retention.service.js';
import { SweepsService } from './sweeps.service.js';
import { WebhooksProcessor } from './webhooks.processor.js';

/** The composition root of the worker process: it delivers webhooks, processes documents, runs campaigns, retrieval tests and the periodic tasks. */
@Module({})
export class WorkerModule implements OnApplicationBootstrap, OnModuleDestroy {
  static forRoot(env: Env, log: Log): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        SettingsModule.forRoot({ env, log, role: 'worker' }),
        DatabaseModule.forRoot(),
        StorageModule,
        EgressModule,
        QueueModule.forRoot(env),
        AccountsModule,
        AuditModule,
        AuthModule,
        CallsModule,
        CampaignsModule,
        KnowledgeBasesModule,
        DocumentPipelineModule,
        ToolsModule,
        WebhooksModule,
        WebhookDispatchModule.forRoot(),
      ],
      providers: [
        MonitoringService,
        PeriodicTasksService,
        PurgeService,
        RetentionService,
        SweepsService,
        CampaignsProcessor,
        DocumentsProcessor,
        WebhooksProcessor,
      ],
    };
  }

  constructor(
    private readonly dispatcher: WebhookDispatcher,
    private readonly documents: DocumentIngestService,
    private readonly tests: DueTestsService,
    private readonly embedderChecks: EmbedderChecksService,
    private readonly campaigns: CampaignRunnerService,
    private readonly imports: CampaignImportRunner,
  ) {}

  onApplicationBootstrap(): void {
    this.documents.start();
    this.tests.start();
    this.embedderChecks.start();
    this.campaigns.start();
    this.imports.start();
  }

  /** Nest destroys modules one after the other, this one first. All of these end at the same time, within 9 s. */
  async onModuleDestroy(): Promise<void> {
    const working = [this.documents, this.tests, this.embedderChecks, this.dispatcher, this.campaigns, this.imports];
    await Promise.all(working.map((one) => one.stop()));
  }
}
