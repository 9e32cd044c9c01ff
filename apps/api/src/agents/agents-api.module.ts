import { AgentLookupsModule, AgentsModule } from '@app/agents';
import { CallsModule } from '@app/calls';
import { SimulationsModule } from '@app/simulation';
import { Module } from '@nestjs/common';
import { AgentPreviewController } from './agent-preview.controller.js';
import { AgentVersionsController } from './agent-versions.controller.js';
import { AgentWarningsService } from './agent-warnings.service.js';
import { AgentsController } from './agents.controller.js';

@Module({
  imports: [AgentLookupsModule, AgentsModule, CallsModule, SimulationsModule],
  controllers: [AgentsController, AgentPreviewController, AgentVersionsController],
  providers: [AgentWarningsService],
  exports: [AgentWarningsService],
})
export class AgentsApiModule {}
