import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EmbeddingCacheEntity } from './embedding-cache.entity.js';
import { EmbeddingCacheRepository } from './embedding-cache.repository.js';
import { EmbeddingsService } from './embeddings.service.js';

/** A module of its own, so that the embedder is open before the modules that use it and is closed after them. */
@Module({
  imports: [TypeOrmModule.forFeature([EmbeddingCacheEntity])],
  providers: [EmbeddingCacheRepository, EmbeddingsService],
  exports: [EmbeddingsService],
})
export class EmbeddingsModule {}
