import { Injectable } from '@nestjs/common';
import { EmbeddingsService } from '../embed/embeddings.service.js';
import type { NewChunk } from '../knowledge-chunks.repository.js';
import { VectorIndex } from '../vectors/vector-index.js';
import { CHUNKS_PER_EMBEDDING, DocumentClaimsRepository } from './document-claims.repository.js';
import type { DocumentLease } from './document-lease.js';

/** Chunks without a vector by then are found by their words, and get it later. Leaves the rest of the five minutes to the swap. */
const EMBEDDING_MS = 150_000;

/** Adds vectors to the stored chunks of a document: while the embedder works, the parser is free for the next document. */
@Injectable()
export class DocumentEmbedding {
  constructor(
    private readonly embeddings: EmbeddingsService,
    private readonly claims: DocumentClaimsRepository,
    private readonly index: VectorIndex,
  ) {}

  /** Absent: search goes by words. */
  get isConfigured(): boolean {
    return this.embeddings.embedder !== undefined;
  }

  /** Fills the hashes, by which a later embedder recognises unchanged chunks. */
  async hash(chunks: readonly NewChunk[]): Promise<void> {
    await this.embeddings.hashChunks(chunks);
  }

  /** @returns how many chunks have no vector. Throws LeaseLost, the signal's reason, or errors of the database. */
  async addVectors(
    lease: DocumentLease,
    total: number,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<number> {
    const { knowledgeBaseId, generation, accountId } = lease.place;
    const deadline = AbortSignal.timeout(EMBEDDING_MS);
    let without = 0;
    for (let from = 0; from < total && !deadline.aborted; from += CHUNKS_PER_EMBEDDING) {
      const chunks = (await this.claims.chunksToEmbed(lease.claim, from)) as NewChunk[];
      without += await this.embeddings.embedChunks({ accountId, knowledgeBaseId, deadline }, chunks, signal);
      await this.store(
        lease,
        chunks.filter(({ embedding }) => embedding),
      );
      onProgress(Math.min(1, (from + CHUNKS_PER_EMBEDDING) / total));
    }
    await this.index.add({ knowledgeBaseId, generation });
    return without;
  }

  private async store(lease: DocumentLease, chunks: readonly NewChunk[]): Promise<void> {
    if (chunks.length === 0) return;
    await lease.write((tx) => this.claims.storeEmbeddings(lease.claim, chunks, tx));
  }
}
