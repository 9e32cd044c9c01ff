import { AccountsModule } from '@app/accounts';
import { AgentsModule } from '@app/agents';
import { DailySpendModule } from '@app/calls';
import { KnowledgeSearchModule } from '@app/knowledge';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { AgentPublicationService } from './agent-publication.service.js';
import { RepeatedSimulationsService } from './repeated-simulations.service.js';
import { RequiredScenariosService } from './required-scenarios.service.js';
import { SimulatedAgentsService } from './simulated-agents.service.js';
import { SimulationsService } from './simulations.service.js';
import { TextModeProvidersService } from './text-mode-providers.service.js';

/** Simulated conversations with agents, and the publication of agents that must pass some. */
@Module({
  imports: [AccountsModule, AgentsModule, DailySpendModule, KnowledgeSearchModule, ToolsModule],
  providers: [
    AgentPublicationService,
    RepeatedSimulationsService,
    RequiredScenariosService,
    TextModeProvidersService,
    SimulatedAgentsService,
    SimulationsService,
  ],
  exports: [AgentPublicationService, RepeatedSimulationsService, RequiredScenariosService, SimulationsService],
})
export class SimulationsModule {}
