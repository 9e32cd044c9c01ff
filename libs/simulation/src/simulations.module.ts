import { AccountsModule } from '@app/accounts';
import { AgentsModule } from '@app/agents';
import { DailySpendModule } from '@app/calls';
import { KnowledgeSearchModule } from '@app/knowledge';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { RepeatedSimulations } from './repeated-simulations.service.js';
import { RequiredScenarios } from './required-scenarios.service.js';
import { SimulatedAgentsService } from './simulated-agents.service.js';
import { SimulationsService } from './simulations.service.js';
import { TextModeProviders } from './text-mode-providers.service.js';

/** Simulated conversations with agents. */
@Module({
  imports: [AccountsModule, AgentsModule, DailySpendModule, KnowledgeSearchModule, ToolsModule],
  providers: [RepeatedSimulations, RequiredScenarios, TextModeProviders, SimulatedAgentsService, SimulationsService],
  exports: [RepeatedSimulations, RequiredScenarios, SimulationsService],
})
export class SimulationsModule {}
