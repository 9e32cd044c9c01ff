import { AccountsModule } from '@app/accounts';
import { AuditModule } from '@app/audit';
import { KnowledgeBasesModule } from '@app/knowledge';
import { ToolsModule } from '@app/tools';
import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentChangesService } from './agent-changes.service.js';
import { AgentDeletionService } from './agent-deletion.service.js';
import { AgentFieldsService } from './agent-fields.service.js';
import { AgentFlowsService } from './agent-flows.service.js';
import { AgentEntity } from './agent.entity.js';
import { AgentsRepository } from './agents.repository.js';
import { AgentsService } from './agents.service.js';
import { AgentTestWebhooksService } from './agent-test-webhooks.service.js';
import { AgentPreviewService } from './texts/agent-preview.service.js';
import { PolicyJudgeService } from './texts/policy-judge.service.js';
import { SummaryModelService } from './texts/summary-model.service.js';
import { TextModelsService } from './texts/text-models.service.js';
import { AgentScenarioEntity, AgentVersionEntity } from './versions/agent-version.entity.js';
import { AgentVersionsRepository } from './versions/agent-versions.repository.js';
import { AgentVersionsService } from './versions/agent-versions.service.js';

const SERVICES = [
  AgentChangesService,
  AgentDeletionService,
  AgentFlowsService,
  AgentPreviewService,
  AgentsService,
  AgentTestWebhooksService,
  AgentVersionsService,
  PolicyJudgeService,
  SummaryModelService,
  TextModelsService,
];

/**
 * Agents with their versions and scenarios, and the text models that answer questions about their conversations. Works without SECRET_KEY
 * until a secret is needed. Requires the global modules of settings, database, storage, queue and egress.
 */
@Module({
  imports: [
    AccountsModule,
    AuditModule,
    KnowledgeBasesModule,
    ToolsModule,
    WebhooksModule,
    TypeOrmModule.forFeature([AgentEntity, AgentScenarioEntity, AgentVersionEntity]),
  ],
  providers: [AgentFieldsService, AgentsRepository, AgentVersionsRepository, ...SERVICES],
  exports: [...SERVICES, AgentsRepository],
})
export class AgentsModule {}
