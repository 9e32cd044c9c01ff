import { AgentsModule } from '@app/agents';
import { SimulationsModule } from '@app/simulation';
import { Module } from '@nestjs/common';
import { AgentPreviewController } from './agent-preview.controller.js';
import { AgentVersionsController } from './agent-versions.controller.js';
import { AgentsController } from './agents.controller.js';

@Module({
  imports: [AgentsModule, SimulationsModule],
  controllers: [AgentsController, AgentPreviewController, AgentVersionsController],
})
export class AgentsApiModule {}
