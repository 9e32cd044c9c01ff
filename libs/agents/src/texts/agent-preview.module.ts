import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents.module.js';
import { AgentPreviewService } from './agent-preview.service.js';

/** Previews of the texts of agents, with their tools. */
@Module({ imports: [AgentsModule, ToolsModule], providers: [AgentPreviewService], exports: [AgentPreviewService] })
export class AgentPreviewModule {}
