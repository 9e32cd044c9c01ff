import { Module } from '@nestjs/common';
import { EmbeddingCacheRepository } from './embedding-cache.repository.js';
import { EmbeddingsService } from './embeddings.service.js';

/** A separate module, so that the embedder is opened before the modules that use it and closed after them. */
@Module({
  providers: [EmbeddingCacheRepository, EmbeddingsService],
  exports: [EmbeddingsService],
})
export class EmbeddingsModule {}
