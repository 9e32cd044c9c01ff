import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { EmbeddingsService } from '../embed/embeddings.service.js';
import { PgvectorRepository, type VectorModel } from './pgvector.repository.js';

/** The copy of vectors that pgvector searches; without pgvector there is none. For workers. */
@Injectable()
export class VectorIndex implements OnModuleInit {
  private prepared: Promise<boolean> | undefined;

  constructor(
    private readonly pgvector: PgvectorRepository,
    @Inject(EmbeddingsService) private readonly embeddings: { readonly embedder: VectorModel | undefined },
  ) {}

  /** Makes the table when the database has pgvector and no table yet. */
  async onModuleInit(): Promise<void> {
    if (this.embeddings.embedder) await this.isUsable();
  }

  /** Adds the vectors of a generation; before its swap, searches by meaning find it from its first moment. */
  async add(place: { knowledgeBaseId: number; generation: number }): Promise<void> {
    const { embedder } = this.embeddings;
    if (embedder && (await this.isUsable())) await this.pgvector.copy(place, embedder);
  }

  /** Makes the HNSW index of the model when an agent is large enough for it. */
  async ensure(): Promise<void> {
    const { embedder } = this.embeddings;
    if (embedder && (await this.isUsable())) await this.pgvector.ensureIndex(embedder);
  }

  private isUsable(): Promise<boolean> {
    return (this.prepared ??= this.pgvector.prepare());
  }
}
