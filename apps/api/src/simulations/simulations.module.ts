import type { Env, Log } from '@app/common';
import { openSimulations } from '@app/agents';
import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { ENV, LOG } from '@app/settings';
import { ApiSearch } from '../knowledge-bases/api-search.js';
import { KnowledgeBasesModule } from '../knowledge-bases/knowledge-bases.module.js';
import { ToolRunner } from '../tools/tool-runner.js';
import { ToolRunsModule } from '../tools/tool-runs.module.js';
import { SimulationsController } from './simulations.controller.js';
import { SimulationsService } from './simulations.service.js';

@Module({
  imports: [KnowledgeBasesModule, ToolRunsModule],
  controllers: [SimulationsController],
  providers: [
    {
      provide: SimulationsService,
      inject: [ENV, LOG, Pool, ApiSearch, ToolRunner],
      useFactory: (
        env: Env,
        log: Log,
        pool: Pool,
        { search: knowledge }: ApiSearch,
        { parts: toolRun }: ToolRunner,
      ) => {
        const { parts, close } = openSimulations({ env, log, pool, knowledge, toolRun });
        return new SimulationsService(parts, close);
      },
    },
  ],
})
export class SimulationsModule {}
