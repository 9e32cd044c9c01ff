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
  VectorBackfillService,
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
import { ContactImportsProcessor } from './contact-imports.processor.js';
import { DocumentsProcessor } from './documents.processor.js';
import { EmbedderChecksProcessor } from './embedder-checks.processor.js';
import { MonitoringService } from './monitoring.service.js';
import { PeriodicTasksService } from './periodic-tasks.service.js';
import { PurgeService } from './purge.service.js';
import { RepairsService } from './repairs.service.js';
import { RetentionProcessor } from './retention.processor.js';
import { RetentionService } from './retention.service.js';
import { RetrievalTestsProcessor } from './retrieval-tests.processor.js';
import { SweepsProcessor } from './sweeps.processor.js';
import { SweepsService } from './sweeps.service.js';
import { TestRunsProcessor } from './test-runs.processor.js';
import { TranscriptRetentionService } from './transcript-retention.service.js';
import { VectorsProcessor } from './vectors.processor.js';
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
        RepairsService,
        RetentionService,
        SweepsService,
        TranscriptRetentionService,
        AnalysesProcessor,
        CampaignsProcessor,
        ContactImportsProcessor,
        DocumentsProcessor,
        EmbedderChecksProcessor,
        RetentionProcessor,
        RetrievalTestsProcessor,
        SweepsProcessor,
        TestRunsProcessor,
        VectorsProcessor,
        WebhooksProcessor,
      ],
    };
  }

  constructor(
    private readonly dispatcher: WebhookDispatcherService,
    private readonly documents: DocumentIngestService,
    private readonly vectors: VectorBackfillService,
    private readonly tests: DueTestsService,
    private readonly embedderChecks: EmbedderChecksService,
    private readonly campaigns: CampaignRunnerService,
    private readonly imports: CampaignImportRunnerService,
    private readonly analyses: AnalysisRunnerService,
    private readonly testRuns: TestRunWorkerService,
  ) {}

  onApplicationBootstrap(): void {
    this.campaigns.start();
  }

  /** Nest destroys modules one after the other, this one first. All of these return their units at the same time, within 9 s. */
  async onModuleDestroy(): Promise<void> {
    const { documents, vectors, tests, embedderChecks, dispatcher, campaigns, imports, testRuns, analyses } = this;
    const working = [documents, vectors, tests, embedderChecks, dispatcher, campaigns, imports, testRuns, analyses];
    await Promise.all(working.map((one) => one.stop()));
  }
}
