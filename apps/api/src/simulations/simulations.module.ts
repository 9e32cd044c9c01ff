import type { Env, Log } from '@app/common';
import { openSimulations } from '@app/agents';
import { ToolRunner, ToolsModule, ToolsService } from '@app/tools';
import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { ENV, LOG } from '@app/settings';
import { ApiSearch } from '../knowledge-bases/api-search.js';
import { KnowledgeBasesModule } from '../knowledge-bases/knowledge-bases.module.js';
import { SimulationsController } from './simulations.controller.js';
import { SimulationsService } from './simulations.service.js';

@Module({
  imports: [KnowledgeBasesModule, ToolsModule],
  controllers: [SimulationsController],
  providers: [
    {
      provide: SimulationsService,
      inject: [ENV, LOG, Pool, ApiSearch, ToolsService, ToolRunner],
      useFactory: (
        env: Env,
        log: Log,
        pool: Pool,
        { search: knowledge }: ApiSearch,
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
