import { AccountsModule } from '@app/accounts';
import { AgentManagementModule } from '@app/agents';
import { Module } from '@nestjs/common';
import { AgentVersionsController } from './agent-versions.controller.js';
import { AgentsController } from './agents.controller.js';

@Module({ imports: [AccountsModule, AgentManagementModule], controllers: [AgentsController, AgentVersionsController] })
export class AgentsApiModule {}
