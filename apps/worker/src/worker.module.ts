import { AccountsModule } from '@app/accounts';
import { AnalysisRunnerModule, AnalysisRunnerService } from '@app/call-analysis';
import { TestCallsModule, TestRunsModule, TestRunWorkerService } from '@app/simulation';
import { AnalyticsModule } from '@app/analytics';
import { AuditModule } from '@app/audit';
import { AuthModule } from '@app/auth';
import { CallsModule } from '@app/calls';
import { CampaignImportRunnerService, CampaignRunnerService, CampaignsModule } from '@app/campaigns';
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
import { SettingsModule } from '@app/common/settings';
import { StorageModule } from '@app/storage';
import { ToolsModule } from '@app/tools';
import { WebhookDispatcherService, WebhookDispatchModule, WebhooksModule } from '@app/webhooks';
import { type DynamicModule, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AnalysesProcessor } from './analyses.processor.js';
import { BacklogService } from './backlog.service.js';
import { CampaignsProcessor } from './campaigns.processor.js';
import { DocumentsProcessor } from './documents.processor.js';
import { MonitoringService } from './monitoring.service.js';
import { PeriodicTasksService } from './periodic-tasks.service.js';
import { PurgeService } from './purge.service.js';
import { RetentionService } from './retention.service.js';
import { SweepsService } from './sweeps.service.js';
import { TranscriptRetentionService } from './transcript-retention.service.js';
import { WebhooksProcessor } from './webhooks.processor.js';

/** The composition root of the worker process: it delivers webhooks, processes documents, analyses calls, runs campaigns, retrieval tests and the periodic tasks. */
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
        AnalysisRunnerModule,
        AnalyticsModule,
        AuditModule,
        AuthModule,
        CallsModule,
        CampaignsModule,
        KnowledgeBasesModule,
        DocumentPipelineModule,
        TestCallsModule,
        TestRunsModule,
        ToolsModule,
        WebhooksModule,
        WebhookDispatchModule.forRoot(),
      ],
      providers: [
        BacklogService,
        MonitoringService,
        PeriodicTasksService,
        PurgeService,
        RetentionService,
        SweepsService,
        TranscriptRetentionService,
        AnalysesProcessor,
        CampaignsProcessor,
        DocumentsProcessor,
        WebhooksProcessor,
      ],
    };
  }

  constructor(
    private readonly dispatcher: WebhookDispatcherService,
    private readonly documents: DocumentIngestService,
    private readonly tests: DueTestsService,
    private readonly embedderChecks: EmbedderChecksService,
    private readonly campaigns: CampaignRunnerService,
    private readonly imports: CampaignImportRunnerService,
    private readonly analyses: AnalysisRunnerService,
    private readonly testRuns: TestRunWorkerService,
  ) {}

  onApplicationBootstrap(): void {
    this.documents.start();
    this.tests.start();
    this.embedderChecks.start();
    this.campaigns.start();
    this.imports.start();
    this.analyses.start();
    this.testRuns.start();
  }

  /** Nest destroys modules one after the other, this one first. All of these end at the same time, within 9 s. */
  async onModuleDestroy(): Promise<void> {
    const runners = [this.campaigns, this.imports, this.testRuns, this.analyses];
    const working = [this.documents, this.tests, this.embedderChecks, this.dispatcher, ...runners];
    await Promise.all(working.map((one) => one.stop()));
  }
}
