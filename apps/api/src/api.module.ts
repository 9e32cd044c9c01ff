import { AccountLookupsModule } from '@app/accounts';
import { AuthModule, SignInModule } from '@app/auth';
import type { Env, Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { EgressModule } from '@app/egress';
import { QueueModule } from '@app/queue';
import { SettingsModule } from '@app/common/settings';
import { StorageModule } from '@app/storage';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AccountsApiModule } from './accounts/accounts-api.module.js';
import { AgentsApiModule } from './agents/agents-api.module.js';
import { AnalysesApiModule } from './analyses/analyses-api.module.js';
import { AnalyticsApiModule } from './analytics/analytics-api.module.js';
import { AuditApiModule } from './audit/audit-api.module.js';
import { AuthApiModule } from './auth/auth-api.module.js';
import { CallsApiModule } from './calls/calls-api.module.js';
import { CampaignsApiModule } from './campaigns/campaigns-api.module.js';
import { ComplianceApiModule } from './compliance/compliance-api.module.js';
import { HealthModule } from './health/health.module.js';
import { ErrorsFilter } from './http/responses/errors.filter.js';
import { NumberSuggestionsService } from './http/responses/number-suggestions.service.js';
import { KnowledgeBasesApiModule } from './knowledge-bases/knowledge-bases-api.module.js';
import { McpApiModule } from './mcp/mcp-api.module.js';
import { QueuesApiModule } from './queues/queues-api.module.js';
import { SimulationsApiModule } from './simulations/simulations-api.module.js';
import { TestRunsApiModule } from './test-runs/test-runs-api.module.js';
import { ToolsApiModule } from './tools/tools-api.module.js';
import { WebCallsApiModule } from './web-calls/web-calls-api.module.js';
import { WebhooksApiModule } from './webhooks/webhooks-api.module.js';

/** The composition root of the API process. */
@Module({})
export class ApiModule {
  static forRoot(env: Env, log: Log): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        SettingsModule.forRoot({ env, log, role: 'api' }),
        DatabaseModule.forRoot(),
        StorageModule,
        EgressModule,
        AccountLookupsModule,
        QueueModule.forRoot(env),
        AuthModule,
        SignInModule,
        CallsApiModule,
        AnalysesApiModule,
        CampaignsApiModule,
        ComplianceApiModule,
        KnowledgeBasesApiModule,
        ToolsApiModule,
        McpApiModule,
        SimulationsApiModule,
        TestRunsApiModule,
        AccountsApiModule,
        AgentsApiModule,
        AnalyticsApiModule,
        AuditApiModule,
        AuthApiModule,
        HealthModule,
        QueuesApiModule,
        WebCallsApiModule,
        WebhooksApiModule,
      ],
      providers: [NumberSuggestionsService, { provide: APP_FILTER, useClass: ErrorsFilter }],
    };
  }
}
