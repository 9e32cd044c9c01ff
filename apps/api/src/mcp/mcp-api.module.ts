import { AccountsModule } from '@app/accounts';
import { AgentsModule } from '@app/agents';
import { AnalysisModule } from '@app/call-analysis';
import { AnalyticsModule } from '@app/analytics';
import { CallsModule } from '@app/calls';
import { KnowledgeSearchModule } from '@app/knowledge';
import { Module } from '@nestjs/common';
import { AgentsApiModule } from '../agents/agents-api.module.js';
import { McpCallToolsService } from './mcp-call-tools.service.js';
import { DirectoryToolsService } from './directory-tools.service.js';
import { McpServerService } from './mcp-server.service.js';
import { McpController, OriginGuard } from './mcp.controller.js';

@Module({
  imports: [
    AccountsModule,
    AgentsApiModule,
    AgentsModule,
    AnalysisModule,
    AnalyticsModule,
    CallsModule,
    KnowledgeSearchModule,
  ],
  controllers: [McpController],
  providers: [OriginGuard, McpCallToolsService, DirectoryToolsService, McpServerService],
})
export class McpApiModule {}
