import { AccountsModule } from '@app/accounts';
import { AgentManagementModule, SimulationsModule } from '@app/agents';
import { Module } from '@nestjs/common';
import { AgentPreviewController } from './agent-preview.controller.js';
import { AgentVersionsController } from './agent-versions.controller.js';
import { AgentsController } from './agents.controller.js';

@Module({
  imports: [AccountsModule, AgentManagementModule, SimulationsModule],
  controllers: [AgentsController, AgentPreviewController, AgentVersionsController],
})
export class AgentsApiModule {}
