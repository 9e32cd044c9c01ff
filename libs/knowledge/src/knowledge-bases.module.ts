import { AccountsModule } from '@app/accounts';
import { AuditModule } from '@app/audit';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KnowledgePageEntity } from './crawl/knowledge-page.entity.js';
import { KnowledgePagesRepository } from './crawl/knowledge-pages.repository.js';
import { DocumentFilesService } from './document-files.service.js';
import { KnowledgeBaseAgentsRepository } from './knowledge-base-agents.repository.js';
import { KnowledgeBaseAgentEntity, KnowledgeBaseEntity } from './knowledge-base.entity.js';
import { KnowledgeBasesRepository } from './knowledge-bases.repository.js';
import { KnowledgeBasesService } from './knowledge-bases.service.js';
import { KnowledgeChunksRepository } from './knowledge-chunks.repository.js';
import { KnowledgeDeletionService } from './knowledge-deletion.service.js';
import { KnowledgePassagesRepository } from './knowledge-passages.repository.js';
import { KnowledgeSharingService } from './knowledge-sharing.service.js';
import { MissingVectorsService } from './vectors/missing-vectors.service.js';

/** The knowledge bases of an account's agents, and their sharing. Requires the global modules of settings, database, storage and queue. */
@Module({
  imports: [
    AccountsModule,
    AuditModule,
    TypeOrmModule.forFeature([KnowledgeBaseEntity, KnowledgeBaseAgentEntity, KnowledgePageEntity]),
  ],
  providers: [
    DocumentFilesService,
    KnowledgeBasesRepository,
    KnowledgeBaseAgentsRepository,
    KnowledgeChunksRepository,
    KnowledgePagesRepository,
    KnowledgePassagesRepository,
    KnowledgeSharingService,
    KnowledgeBasesService,
    KnowledgeDeletionService,
    MissingVectorsService,
  ],
  exports: [
    KnowledgeBasesService,
    KnowledgeDeletionService,
    KnowledgeSharingService,
    KnowledgeBasesRepository,
    KnowledgeChunksRepository,
    MissingVectorsService,
  ],
})
export class KnowledgeBasesModule {}
