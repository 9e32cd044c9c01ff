import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { EmbeddingsService } from '../embed/embeddings.service.js';
import { type ChunkRange, PgvectorRepository, type VectorModel } from './pgvector.repository.js';

/** Maintains the copy of the vectors that pgvector searches; does nothing without pgvector. Used by workers. */
@Injectable()
export class VectorIndexService implements OnModuleInit {
  private prepared: Promise<boolean> | undefined;

  constructor(
    private readonly pgvector: PgvectorRepository,
    @Inject(EmbeddingsService)
    private readonly embeddings: { readonly embedder: VectorModel | undefined; readonly isConfigured?: boolean },
  ) {}

  /** Creates the table if the database has pgvector, also before the model of the embedder is known: it holds those of any. */
  async onModuleInit(): Promise<void> {
    if (this.embeddings.embedder ?? this.embeddings.isConfigured) await this.isUsable();
  }

  /** Adds the vectors of a generation; before its swap those that it took over, so that semantic search finds them from the start. */
  async add(chunks: ChunkRange): Promise<void> {
    const { embedder } = this.embeddings;
    if (embedder && (await this.isUsable())) await this.pgvector.copy(chunks, embedder);
  }

  /** Creates the missing indexes; that of the model only if an agent is large enough for it. */
  async ensure(): Promise<void> {
    const { embedder } = this.embeddings;
    if (embedder && (await this.isUsable())) await this.pgvector.ensureIndexes(embedder);
  }

  private isUsable(): Promise<boolean> {
    return (this.prepared ??= this.pgvector.prepare());
  }
}
