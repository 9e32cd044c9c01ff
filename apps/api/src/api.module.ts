import { AuthModule } from '@app/auth';
import type { Env, Log } from '@app/common';
import { QueueModule } from '@app/queue';
import { type DynamicModule, Module } from '@nestjs/common';
import { AgentsApiModule } from './agents/agents-api.module.js';
import { AuditApiModule } from './audit/audit-api.module.js';
import { CallsApiModule } from './calls/calls-api.module.js';
import { CoreModule } from './core.module.js';
import { HealthModule } from './health/health.module.js';
import { KnowledgeBasesApiModule } from './knowledge-bases/knowledge-bases-api.module.js';
import { NumbersApiModule } from './numbers/numbers-api.module.js';
import { TokensApiModule } from './tokens/tokens-api.module.js';
import { ToolsApiModule } from './tools/tools-api.module.js';
import { WebhooksApiModule } from './webhooks/webhooks-api.module.js';
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
        CallsApiModule,
        KnowledgeBasesApiModule,
        ToolsApiModule,
        SimulationsModule,
        AgentsApiModule,
        NumbersApiModule,
        TrunksApiModule,
        AuditApiModule,
        TokensApiModule,
        HealthModule,
        WebhooksApiModule,
      ],
    };
  }
}
