import { AuthModule } from '@app/auth';
import type { Env, Log } from '@app/common';
import { QueueModule } from '@app/queue';
import { type DynamicModule, Module } from '@nestjs/common';
import { AgentsApiModule } from './agents/agents-api.module.js';
import { AuditApiModule } from './audit/audit-api.module.js';
import { CallsModule } from './calls/calls.module.js';
import { CoreModule } from './core.module.js';
import { HealthModule } from './health/health.module.js';
import { KnowledgeBasesModule } from './knowledge-bases/knowledge-bases.module.js';
import { NumbersApiModule } from './numbers/numbers-api.module.js';
import { TokensApiModule } from './tokens/tokens-api.module.js';
import { ToolsModule } from './tools/tools.module.js';
import { ToolRunsModule } from './tools/tool-runs.module.js';
import { SimulationsModule } from './simulations/simulations.module.js';
import { TrunksApiModule } from './trunks/trunks-api.module.js';

@Module({})
export class ApiModule {
  static forRoot(env: Env, log: Log): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        CoreModule.forRoot(env, log),
        QueueModule.forRoot(env, log),
        AuthModule,
        CallsModule,
        KnowledgeBasesModule,
        ToolsModule,
        ToolRunsModule,
        SimulationsModule,
        AgentsApiModule,
        NumbersApiModule,
        TrunksApiModule,
        AuditApiModule,
        TokensApiModule,
        HealthModule,
      ],
    };
  }
}
