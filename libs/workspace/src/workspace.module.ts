import { AccountsModule } from '@app/accounts';
import { AgentsModule } from '@app/agents';
import { AuditModule } from '@app/audit';
import { WebhooksModule } from '@app/webhooks';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { ExportedAgentsService } from './exported-agents.service.js';
import { WorkspaceAccountService } from './workspace-account.service.js';
import { WorkspaceAgentsService } from './workspace-agents.service.js';
import { WorkspaceExportService } from './workspace-export.service.js';
import { WorkspaceRepository } from './workspace.repository.js';
import { WorkspaceService } from './workspace.service.js';

/** Workspace files. They hold secrets, so SECRET_KEY must be set. Needs `WakeUps`. */
@Module({
  imports: [AccountsModule, AgentsModule, AuditModule, ToolsModule, WebhooksModule],
  providers: [
    ExportedAgentsService,
    WorkspaceAccountService,
    WorkspaceAgentsService,
    WorkspaceExportService,
    WorkspaceRepository,
    WorkspaceService,
  ],
  exports: [AccountsModule, AgentsModule, WebhooksModule, WorkspaceExportService, WorkspaceService],
})
export class WorkspaceModule {}
