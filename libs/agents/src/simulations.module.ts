import { AccountsModule } from '@app/accounts';
import { KnowledgeSearchModule } from '@app/knowledge';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { AgentPreviewService } from './agent-preview.service.js';
import { SimulatedAgentsService } from './simulated-agents.service.js';
import { SimulationsService } from './simulations.service.js';
import { TextModeProviders } from './text-mode-providers.service.js';

/** Simulated conversations with agents, and previews of their texts. */
@Module({
  imports: [AccountsModule, KnowledgeSearchModule, ToolsModule],
  providers: [TextModeProviders, SimulatedAgentsService, SimulationsService, AgentPreviewService],
  exports: [SimulationsService, AgentPreviewService],
})
export class SimulationsModule {}
