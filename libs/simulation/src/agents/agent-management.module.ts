import { AgentsModule } from '@app/agents';
import { KnowledgeBasesModule } from '@app/knowledge';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { AgentManagementService } from './agent-management.service.js';
import { SimulationsModule } from '../simulations.module.js';

/** Changes of agents. */
@Module({
  imports: [AgentsModule, KnowledgeBasesModule, SimulationsModule, ToolsModule],
  providers: [AgentManagementService],
  exports: [AgentManagementService, AgentsModule],
})
export class AgentManagementModule {}
