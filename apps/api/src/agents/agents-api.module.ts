import { AgentLookupsModule, AgentsModule, VendorCatalogModule } from '@app/agents';
import { CallsModule } from '@app/calls';
import { SimulationsModule } from '@app/simulation';
import { Module } from '@nestjs/common';
import { AgentPreviewController } from './agent-preview.controller.js';
import { AgentVersionsController } from './agent-versions.controller.js';
import { AgentWarningsService } from './agent-warnings.service.js';
import { AgentsController } from './agents.controller.js';
import { VendorsController } from './vendors.controller.js';

@Module({
  imports: [AgentLookupsModule, AgentsModule, CallsModule, SimulationsModule, VendorCatalogModule],
  controllers: [AgentsController, AgentPreviewController, AgentVersionsController, VendorsController],
  providers: [AgentWarningsService],
  exports: [AgentWarningsService],
})
export class AgentsApiModule {}
