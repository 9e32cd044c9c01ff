import type { Env, Log } from '@app/common';
import type { UrlRules } from '@app/egress';
import { DocumentJobs } from '@app/queue';
import { Storage } from '@app/storage';
import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { ENV, LOG } from '@app/settings';
import { WEBHOOK_URL_RULES } from '../webhooks/url-rules.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ApiSearch } from './api-search.js';
import { KnowledgeBasesController } from './knowledge-bases.controller.js';
import { KnowledgeBasesService } from './knowledge-bases.service.js';
import { SearchController } from './search.controller.js';
import { UploadFolder } from './upload-folder.js';
import { UploadInterceptor } from './upload.interceptor.js';
import { UploadLimit } from './upload-limit.js';

@Module({
  imports: [WebhooksModule],
  exports: [ApiSearch],
  // The search first: `search` is no id.
  controllers: [SearchController, KnowledgeBasesController],
  providers: [
    UploadInterceptor,
    { provide: UploadLimit, useFactory: () => new UploadLimit() },
    {
      provide: UploadFolder,
      inject: [ENV, LOG],
      useFactory: (env: Env, log: Log) => UploadFolder.open(env, log),
    },
    {
      provide: ApiSearch,
      inject: [ENV, LOG, Pool],
      useFactory: (env: Env, log: Log, pool: Pool) => ApiSearch.open(env, log, pool),
    },
    {
      provide: KnowledgeBasesService,
      inject: [ENV, Pool, Storage, DocumentJobs, WEBHOOK_URL_RULES],
      useFactory: (env: Env, pool: Pool, storage: Storage, jobs: DocumentJobs, urlRules: UrlRules) =>
        new KnowledgeBasesService({
          pool,
          storage,
          urlRules,
          basesPerAgent: env.KNOWLEDGE_BASES_PER_AGENT,
          announce: (job) => jobs.announce(job),
        }),
    },
  ],
})
export class KnowledgeBasesModule {}
