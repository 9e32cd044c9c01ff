import { AuditModule } from '@app/audit';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KnowledgeBasesModule } from './knowledge-bases.module.js';
import { KnowledgeSearchModule } from './knowledge-search.module.js';
import { DueTestsService } from './retrieval-tests/due-tests.service.js';
import { HeldRefreshesRepository } from './retrieval-tests/held-refreshes.repository.js';
import { HeldRefreshesService } from './retrieval-tests/held-refreshes.service.js';
import { KnowledgeTestEntity, KnowledgeTestRunEntity } from './retrieval-tests/knowledge-test.entity.js';
import { KnowledgeTestsRepository } from './retrieval-tests/knowledge-tests.repository.js';
import { KnowledgeTestsService } from './retrieval-tests/knowledge-tests.service.js';
import { TestRunner } from './retrieval-tests/test-runner.service.js';
import { TestRunsRepository } from './retrieval-tests/test-runs.repository.js';

/**
 * Retrieval tests of agents, and refreshes that they hold back. Nothing runs by itself: a worker calls `DueTestsService.start()`, and its
 * document pipeline asks the TestRunner before it serves a refresh.
 */
@Module({
  imports: [
    AuditModule,
    KnowledgeBasesModule,
    KnowledgeSearchModule,
    TypeOrmModule.forFeature([KnowledgeTestEntity, KnowledgeTestRunEntity]),
  ],
  providers: [
    KnowledgeTestsRepository,
    TestRunsRepository,
    HeldRefreshesRepository,
    TestRunner,
    KnowledgeTestsService,
    HeldRefreshesService,
    DueTestsService,
  ],
  exports: [KnowledgeTestsService, HeldRefreshesService, DueTestsService, TestRunner],
})
export class KnowledgeTestsModule {}
