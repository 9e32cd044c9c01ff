import { AccountsModule } from '@app/accounts';
import { AgentsModule } from '@app/agents';
import { DailySpendModule } from '@app/calls';
import { KnowledgeSearchModule } from '@app/knowledge';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { RepeatedSimulationsService } from './repeated-simulations.service.js';
import { RequiredScenariosService } from './required-scenarios.service.js';
import { SimulatedAgentsService } from './simulated-agents.service.js';
import { SimulationsService } from './simulations.service.js';
import { TextModeProvidersService } from './text-mode-providers.service.js';

/** Simulated conversations with agents. */
@Module({
  imports: [AccountsModule, AgentsModule, DailySpendModule, KnowledgeSearchModule, ToolsModule],
  providers: [
    RepeatedSimulationsService,
    RequiredScenariosService,
    TextModeProvidersService,
    SimulatedAgentsService,
    SimulationsService,
  ],
  exports: [RepeatedSimulationsService, RequiredScenariosService, SimulationsService],
})
export class SimulationsModule {}
