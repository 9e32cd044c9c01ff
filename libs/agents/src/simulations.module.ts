import { AccountsModule } from '@app/accounts';
import { KnowledgeSearchModule } from '@app/knowledge';
import { ModelsModule } from '@app/models';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { AgentPreviewService } from './agent-preview.service.js';
import { RepeatedSimulations } from './repeated-simulations.service.js';
import { RequiredScenarios } from './required-scenarios.service.js';
import { SimulatedAgentsService } from './simulated-agents.service.js';
import { SimulationsService } from './simulations.service.js';
import { TextModeProviders } from './text-mode-providers.service.js';

/** Simulated conversations with agents, and previews of their texts. */
@Module({
  imports: [AccountsModule, KnowledgeSearchModule, ModelsModule, ToolsModule],
  providers: [
    AgentPreviewService,
    RepeatedSimulations,
    RequiredScenarios,
    TextModeProviders,
    SimulatedAgentsService,
    SimulationsService,
  ],
  exports: [AgentPreviewService, RepeatedSimulations, RequiredScenarios, SimulationsService],
})
export class SimulationsModule {}
