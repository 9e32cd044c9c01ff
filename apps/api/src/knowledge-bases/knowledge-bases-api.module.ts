import { KnowledgeBasesModule, KnowledgeSearchModule, KnowledgeTestsModule } from '@app/knowledge';
import { Module } from '@nestjs/common';
import { HeldRefreshesController } from './held-refreshes.controller.js';
import { KnowledgeBasesController } from './knowledge-bases.controller.js';
import { KnowledgeTestsController, TestRunLimit } from './knowledge-tests.controller.js';
import { SearchController } from './search.controller.js';
import { UploadsModule } from '../http/uploads/uploads.service.js';
import { UploadInterceptor } from './upload.interceptor.js';

@Module({
  imports: [KnowledgeBasesModule, KnowledgeSearchModule, KnowledgeTestsModule, UploadsModule],
  // These controllers first: otherwise `search` and `tests` match the id parameter.
  controllers: [SearchController, KnowledgeTestsController, KnowledgeBasesController, HeldRefreshesController],
  providers: [TestRunLimit, UploadInterceptor],
})
export class KnowledgeBasesApiModule {}
