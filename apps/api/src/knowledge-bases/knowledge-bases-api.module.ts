import { KnowledgeBasesModule, KnowledgeSearchModule } from '@app/knowledge';
import { Module } from '@nestjs/common';
import { KnowledgeBasesController } from './knowledge-bases.controller.js';
import { SearchController } from './search.controller.js';
import { UploadFolder } from './upload-folder.js';
import { UploadInterceptor, UploadLimit } from './upload.interceptor.js';

@Module({
  imports: [KnowledgeBasesModule, KnowledgeSearchModule],
  // The search first: `search` is no id.
  controllers: [SearchController, KnowledgeBasesController],
  providers: [UploadInterceptor, UploadLimit, UploadFolder],
})
export class KnowledgeBasesApiModule {}
