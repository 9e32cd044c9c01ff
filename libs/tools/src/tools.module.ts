import { AuditModule } from '@app/audit';
import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ActionSender } from './action-sender.service.js';
import { ToolInvocationEntity, ToolAttemptEntity } from './tool-invocation.entity.js';
import { ToolInvocationsRepository } from './tool-invocations.repository.js';
import { ToolInvocationsService } from './tool-invocations.service.js';
import { ToolRunner } from './tool-runner.service.js';
import { ToolEntity, ToolActionEntity } from './tool.entity.js';
import { ToolsRepository } from './tools.repository.js';
import { ToolsService } from './tools.service.js';

/** The tools of agents: their definitions, their runs and the record of them. Needs `Egress` and `WakeUps`. */
@Module({
  imports: [
    AuditModule,
    WebhooksModule,
    TypeOrmModule.forFeature([ToolEntity, ToolActionEntity, ToolInvocationEntity, ToolAttemptEntity]),
  ],
  providers: [
    ToolsRepository,
    ToolsService,
    ToolInvocationsRepository,
    ToolInvocationsService,
    ActionSender,
    ToolRunner,
  ],
  exports: [ToolsService, ToolInvocationsService, ToolRunner, ActionSender],
})
export class ToolsModule {}
