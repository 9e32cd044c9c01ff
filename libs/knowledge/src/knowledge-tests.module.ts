import { AuditModule } from '@app/audit';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EmbedderChecksRepository } from './embedder-checks/embedder-checks.repository.js';
import { EmbedderChecksService } from './embedder-checks/embedder-checks.service.js';
import { KnowledgeBasesModule } from './knowledge-bases.module.js';
import { EmbeddingsModule } from './embed/embeddings.module.js';
import { KnowledgeSearchModule } from './knowledge-search.module.js';
import { DueTestsService } from './retrieval-tests/due-tests.service.js';
import { HeldRefreshesRepository } from './retrieval-tests/held-refreshes.repository.js';
import { HeldRefreshesService } from './retrieval-tests/held-refreshes.service.js';
import { KnowledgeTestEntity } from './retrieval-tests/knowledge-test.entity.js';
import { KnowledgeTestsRepository } from './retrieval-tests/knowledge-tests.repository.js';
import { KnowledgeTestsService } from './retrieval-tests/knowledge-tests.service.js';
import { TestRunnerService } from './retrieval-tests/test-runner.service.js';
import { TestRunsRepository } from './retrieval-tests/test-runs.repository.js';

/**
 * Retrieval tests of agents, refreshes that they hold back, and checks of the embedder. Nothing runs by itself: jobs of a worker ask
 * DueTestsService and EmbedderChecksService, and its document pipeline asks the TestRunnerService before it serves a refresh.
 */
@Module({
  imports: [
    AuditModule,
    EmbeddingsModule,
    KnowledgeBasesModule,
    KnowledgeSearchModule,
    TypeOrmModule.forFeature([KnowledgeTestEntity]),
  ],
  providers: [
    KnowledgeTestsRepository,
    TestRunsRepository,
    HeldRefreshesRepository,
    TestRunnerService,
    KnowledgeTestsService,
    HeldRefreshesService,
    DueTestsService,
    EmbedderChecksRepository,
    EmbedderChecksService,
  ],
  exports: [KnowledgeTestsService, HeldRefreshesService, DueTestsService, EmbedderChecksService, TestRunnerService],
})
export class KnowledgeTestsModule {}
