import type { Env, Log } from '@app/common';
import { AccountsModule, AgentsService, DailySpendService } from '@app/accounts';
import { openSimulations } from '@app/agents';
import { KnowledgeSearchModule, KnowledgeSearchService } from '@app/knowledge';
import { ToolRunner, ToolsModule, ToolsService } from '@app/tools';
import { Module } from '@nestjs/common';
import { ENV, LOG } from '@app/settings';
import { SimulationsController } from './simulations.controller.js';
import { SimulationsService } from './simulations.service.js';

@Module({
  imports: [AccountsModule, KnowledgeSearchModule, ToolsModule],
  controllers: [SimulationsController],
  providers: [
    {
      provide: SimulationsService,
      inject: [ENV, LOG, AgentsService, DailySpendService, KnowledgeSearchService, ToolsService, ToolRunner],
      useFactory: (
        env: Env,
        log: Log,
        agents: AgentsService,
        spend: DailySpendService,
        knowledge: KnowledgeSearchService,
        tools: ToolsService,
        runner: ToolRunner,
      ) => {
        const { parts, close } = openSimulations({ env, log, agents, spend, knowledge, tools, runner });
        return new SimulationsService(parts, close);
      },
    },
  ],
})
export class SimulationsModule {}
