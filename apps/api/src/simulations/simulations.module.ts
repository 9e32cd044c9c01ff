import type { Env, Log } from '@app/common';
import { openSimulations } from '@app/agents';
import { KnowledgeSearchModule, KnowledgeSearchService } from '@app/knowledge';
import { ToolRunner, ToolsModule, ToolsService } from '@app/tools';
import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { ENV, LOG } from '@app/settings';
import { SimulationsController } from './simulations.controller.js';
import { SimulationsService } from './simulations.service.js';

@Module({
  imports: [KnowledgeSearchModule, ToolsModule],
  controllers: [SimulationsController],
  providers: [
    {
      provide: SimulationsService,
      inject: [ENV, LOG, Pool, KnowledgeSearchService, ToolsService, ToolRunner],
      useFactory: (
        env: Env,
        log: Log,
        pool: Pool,
        knowledge: KnowledgeSearchService,
        tools: ToolsService,
        runner: ToolRunner,
      ) => {
        const { parts, close } = openSimulations({ env, log, pool, knowledge, tools, runner });
        return new SimulationsService(parts, close);
      },
    },
  ],
})
export class SimulationsModule {}
