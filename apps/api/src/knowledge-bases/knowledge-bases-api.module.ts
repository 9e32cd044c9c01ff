import { CallFactsModule } from '@app/calls';
import { KnowledgeBasesModule, KnowledgeSearchModule, KnowledgeTestsModule } from '@app/knowledge';
import { Module } from '@nestjs/common';
import { HeldRefreshesController } from './held-refreshes.controller.js';
import { KnowledgeBasesController } from './knowledge-bases.controller.js';
import { KnowledgeTestsController, TestRunLimit } from './knowledge-tests.controller.js';
import { SearchController } from './search.controller.js';
import { UploadsModule } from '../http/uploads/uploads.service.js';
import { UnansweredQuestionsController } from './unanswered-questions.controller.js';
import { UnansweredQuestionsService } from './unanswered-questions.service.js';
import { UploadInterceptor } from './upload.interceptor.js';

@Module({
  imports: [CallFactsModule, KnowledgeBasesModule, KnowledgeSearchModule, KnowledgeTestsModule, UploadsModule],
  // These controllers first: otherwise `search`, `tests` and `unanswered-questions` match the id parameter.
  controllers: [
    SearchController,
    KnowledgeTestsController,
    UnansweredQuestionsController,
    KnowledgeBasesController,
    HeldRefreshesController,
  ],
  providers: [TestRunLimit, UnansweredQuestionsService, UploadInterceptor],
})
export class KnowledgeBasesApiModule {}
