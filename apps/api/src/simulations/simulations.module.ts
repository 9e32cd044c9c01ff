import type { Env, Log } from '@app/common';
import { openSimulations } from '@app/agents';
import { KnowledgeSearchModule, KnowledgeSearchService } from '@app/knowledge';
import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { ENV, LOG } from '@app/settings';
import { ToolRunner } from '../tools/tool-runner.js';
import { ToolRunsModule } from '../tools/tool-runs.module.js';
import { SimulationsController } from './simulations.controller.js';
import { SimulationsService } from './simulations.service.js';

@Module({
  imports: [KnowledgeSearchModule, ToolRunsModule],
  controllers: [SimulationsController],
  providers: [
    {
      provide: SimulationsService,
      inject: [ENV, LOG, Pool, KnowledgeSearchService, ToolRunner],
      useFactory: (
        env: Env,
        log: Log,
        pool: Pool,
        knowledge: KnowledgeSearchService,
        { parts: toolRun }: ToolRunner,
      ) => {
        const { parts, close } = openSimulations({ env, log, pool, knowledge, toolRun });
        return new SimulationsService(parts, close);
      },
    },
  ],
})
export class SimulationsModule {}
