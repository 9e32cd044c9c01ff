import { KnowledgeBasesModule, KnowledgeSearchModule } from '@app/knowledge';
import { Module } from '@nestjs/common';
import { KnowledgeBasesController } from './knowledge-bases.controller.js';
import { SearchController } from './search.controller.js';
import { UploadFolder, UploadInterceptor, UploadLimit } from './upload.interceptor.js';

@Module({
  imports: [KnowledgeBasesModule, KnowledgeSearchModule],
  // The search controller first: otherwise `search` matches the id parameter.
  controllers: [SearchController, KnowledgeBasesController],
  providers: [UploadInterceptor, UploadLimit, UploadFolder],
})
export class KnowledgeBasesApiModule {}
