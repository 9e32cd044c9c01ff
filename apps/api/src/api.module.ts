import type { Env, Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { EgressModule } from '@app/egress';
import { QueueModule } from '@app/queue';
import { SettingsModule } from '@app/settings';
import { StorageModule } from '@app/storage';
import { type DynamicModule, Module } from '@nestjs/common';
import { AgentsModule } from './agents/agents.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { CallsModule } from './calls/calls.module.js';
import { CoreModule } from './core.module.js';
import { HealthModule } from './health/health.module.js';
import { KnowledgeBasesModule } from './knowledge-bases/knowledge-bases.module.js';
import { NumbersModule } from './numbers/numbers.module.js';
import { SimulationsModule } from './simulations/simulations.module.js';
import { TokensModule } from './tokens/tokens.module.js';
import { ToolsApiModule } from './tools/tools-api.module.js';
import { TrunksModule } from './trunks/trunks.module.js';

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
        QueueModule.forRoot(env, log),
        CoreModule,
        AuthModule,
        CallsModule,
        KnowledgeBasesModule,
        ToolsApiModule,
        SimulationsModule,
        AgentsModule,
        NumbersModule,
        TrunksModule,
        AuditModule,
        TokensModule,
        HealthModule,
      ],
    };
  }
}
