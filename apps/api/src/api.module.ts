import type { Env, Log } from '@app/common';
import { QueueModule } from '@app/queue';
import { type DynamicModule, Module } from '@nestjs/common';
import { AgentsModule } from './agents/agents.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { CallsApiModule } from './calls/calls-api.module.js';
import { CoreModule } from './core.module.js';
import { HealthModule } from './health/health.module.js';
import { KnowledgeBasesApiModule } from './knowledge-bases/knowledge-bases-api.module.js';
import { NumbersModule } from './numbers/numbers.module.js';
import { TokensModule } from './tokens/tokens.module.js';
import { ToolsApiModule } from './tools/tools-api.module.js';
import { WebhooksApiModule } from './webhooks/webhooks-api.module.js';
import { SimulationsModule } from './simulations/simulations.module.js';
import { TrunksModule } from './trunks/trunks.module.js';

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
        AgentsModule,
        NumbersModule,
        TrunksModule,
        AuditModule,
        TokensModule,
        HealthModule,
        WebhooksApiModule,
      ],
    };
  }
}
