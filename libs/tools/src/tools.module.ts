import { AuditModule } from '@app/audit';
import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ActionSenderService } from './action-sender.service.js';
import { InvocationRecorderService } from './invocation-recorder.service.js';
import { McpRefreshService } from './mcp/mcp-refresh.service.js';
import { McpServerCheckService } from './mcp/mcp-server-check.service.js';
import { McpServerListsService } from './mcp/mcp-server-lists.service.js';
import { McpServerEntity } from './mcp/mcp-server.entity.js';
import { McpServersRepository } from './mcp/mcp-servers.repository.js';
import { McpServersService } from './mcp/mcp-servers.service.js';
import { McpSessionsService } from './mcp/mcp-sessions.service.js';
import { McpToolRunnerService } from './mcp/mcp-tool-runner.service.js';
import { ToolCallbacksModule } from './tool-callbacks.module.js';
import { ToolInvocationsRepository } from './tool-invocations.repository.js';
import { ToolInvocationsService } from './tool-invocations.service.js';
import { ToolRunnerService } from './tool-runner.service.js';
import { ToolAgentEntity, ToolEntity, ToolActionEntity } from './tool.entity.js';
import { ToolsRepository } from './tools.repository.js';
import { ToolsService } from './tools.service.js';

/** The tools of agents, own ones and those of MCP servers: their definitions, their runs and the record of them. Needs `Egress` and `WakeUps`. */
@Module({
  imports: [
    AuditModule,
    WebhooksModule,
    ToolCallbacksModule,
    TypeOrmModule.forFeature([ToolEntity, ToolActionEntity, ToolAgentEntity, McpServerEntity]),
  ],
  providers: [
    ToolsRepository,
    ToolsService,
    ToolInvocationsRepository,
    ToolInvocationsService,
    InvocationRecorderService,
    McpServersRepository,
    McpSessionsService,
    McpServerCheckService,
    McpServersService,
    McpServerListsService,
    McpRefreshService,
    McpToolRunnerService,
    ActionSenderService,
    ToolRunnerService,
  ],
  exports: [
    McpServerListsService,
    McpServersService,
    McpRefreshService,
    ToolsService,
    ToolInvocationsService,
    ToolRunnerService,
    ActionSenderService,
  ],
})
export class ToolsModule {}
