import { AccountsModule } from '@app/accounts';
import { KnowledgeSearchModule } from '@app/knowledge';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { RequiredScenarios } from './required-scenarios.service.js';
import { SimulatedAgentsService } from './simulated-agents.service.js';
import { SimulationsService } from './simulations.service.js';
import { TextModeProviders } from './text-mode-providers.service.js';

/** Simulated conversations with agents. */
@Module({
  imports: [AccountsModule, KnowledgeSearchModule, ToolsModule],
  providers: [RequiredScenarios, TextModeProviders, SimulatedAgentsService, SimulationsService],
  exports: [RequiredScenarios, SimulationsService],
})
export class SimulationsModule {}
