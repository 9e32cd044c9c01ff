import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EmbeddingCacheEntity } from './embedding-cache.entity.js';
import { EmbeddingCacheRepository } from './embedding-cache.repository.js';
import { EmbeddingsService } from './embeddings.service.js';

/** A separate module, so that the embedder is opened before the modules that use it and closed after them. */
@Module({
  imports: [TypeOrmModule.forFeature([EmbeddingCacheEntity])],
  providers: [EmbeddingCacheRepository, EmbeddingsService],
  exports: [EmbeddingsService],
})
export class EmbeddingsModule {}
