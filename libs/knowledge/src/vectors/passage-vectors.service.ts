import { Semaphore } from '@app/common';
import { Inject, Injectable } from '@nestjs/common';
import { bytesOf, EmbeddingsUnavailable } from '../embed/embedder.js';
import { type CacheScope, EmbeddingCacheRepository, type VectorsByHash } from '../embed/embedding-cache.repository.js';
import { type CurrentEmbedder, EmbeddingsService } from '../embed/embeddings.service.js';
import { hashOf } from './embedded-text.js';

/** Texts that the embedder gets in one request; the built-in model takes two seconds for them. */
export const PASSAGES_PER_BATCH = 32;

/** Computes the vectors of passages. One batch of a process is with the embedder at a time, because questions use it as well. */
@Injectable()
export class PassageVectorsService {
  private readonly permit = new Semaphore(1);

  constructor(
    @Inject(EmbeddingsService) private readonly embeddings: CurrentEmbedder,
    private readonly cache: EmbeddingCacheRepository,
  ) {}

  /**
   * The vectors of the first texts, in their order: of as many as need one batch, besides those that are known from the account's chunks
   * and from the cache. Undefined: the model does not accept the text. Throws like `Embedder.embed`, and EmbeddingsUnavailable when the
   * embedder does not answer or has another model by now.
   */
  async vectorsOf(scope: CacheScope, texts: readonly string[], signal: AbortSignal): Promise<(Buffer | undefined)[]> {
    const { embedder } = this.embeddings;
    if (embedder?.model !== scope.model)
      throw new EmbeddingsUnavailable('The embedder does not answer, or has another model by now.');
    const hashes = texts.map((text) => hashOf(text).toString('hex'));
    const known = await this.cache.find(scope, [...new Set(hashes)].map(bytesOfHash));
    const batch = new Map<string, string>();
    let taken = 0;
    for (const hash of hashes) {
      if (!known.has(hash) && !batch.has(hash)) {
        if (batch.size === PASSAGES_PER_BATCH) break;
        batch.set(hash, texts[taken]!);
      }
      taken += 1;
    }
    if (batch.size > 0) {
      const made: VectorsByHash = new Map();
      const vectors = await this.permit.run(() => embedder.embed([...batch.values()], signal), signal);
      for (const [at, hash] of [...batch.keys()].entries()) {
        const vector = vectors[at];
        if (vector) made.set(hash, bytesOf(vector));
      }
      await this.cache.store(scope, made);
      for (const [hash, vector] of made) known.set(hash, vector);
    }
    return hashes.slice(0, taken).map((hash) => known.get(hash));
  }
}

const bytesOfHash = (hex: string): Buffer => Buffer.from(hex, 'hex');
