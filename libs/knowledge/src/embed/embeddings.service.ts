import { createHash } from 'node:crypto';
import { setImmediate as yieldLoop } from 'node:timers/promises';
import type { EmbeddingsEnv, Log } from '@app/common';
import { ENV, LOG } from '@app/settings';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';
import type { NewChunk } from '../knowledge-chunks.repository.js';
import { EMBEDDING_RETRIES } from '../tokens.js';
import { type ClosableEmbedder, type Embedder, EmbeddingsRefused, EmbeddingsUnavailable } from './embedder.js';
import { EmbeddingCacheRepository, type VectorsByHash } from './embedding-cache.repository.js';
import { embeddingSettings } from './embedding-settings.js';
import { bytesOf } from './float32.js';
import { HttpEmbedder, type RetryPolicy } from './http-embedder.js';
import { openLocalEmbedder } from './local-embedder.js';

/** The embedder of the process; undefined: none is configured, search goes by words. */
export interface CurrentEmbedder {
  readonly embedder: Embedder | undefined;
}

/** Whose chunks are embedded. */
interface EmbeddedDocument {
  accountId: number;
  knowledgeBaseId: number;
  /** Ends the embedding without failing: chunks without a vector get it later. One per document. */
  deadline?: AbortSignal;
}

/** Texts by the hash of each, in hex. */
type TextsByHash = ReadonlyMap<string, string>;

/** Hashing 500 chunks takes about 3 ms. */
const HASHED_AT_ONCE = 500;
/** Sent to the embedder together (which makes its own batches), then stored: an outage costs one round at most. */
const PER_ROUND = 128;

/**
 * The embedder that the environment asks for, and the vectors of chunks. Starting asks no network: an endpoint that is down does
 * not keep a process from starting.
 */
@Injectable()
export class EmbeddingsService implements CurrentEmbedder, OnModuleInit, OnModuleDestroy {
  private opened: ClosableEmbedder | undefined;

  constructor(
    private readonly cache: EmbeddingCacheRepository,
    @Inject(ENV) private readonly env: EmbeddingsEnv,
    @Inject(LOG) private readonly log: Log,
    @Optional() @Inject(EMBEDDING_RETRIES) private readonly retries?: RetryPolicy,
  ) {}

  /** @throws MissingSetting or LocalEmbeddingsUnusable. */
  async onModuleInit(): Promise<void> {
    const settings = embeddingSettings(this.env);
    if (!settings) return;
    this.opened =
      settings.provider === 'local' ? await openLocalEmbedder(settings) : new HttpEmbedder(settings, this.retries);
    const { model } = this.opened;
    this.log.info({ provider: settings.provider, model }, 'knowledge bases are searched by meaning too');
  }

  async onModuleDestroy(): Promise<void> {
    await this.opened?.close();
  }

  get embedder(): Embedder | undefined {
    return this.opened;
  }

  /** Fills the hash of chunks, by which a later embedder recognises unchanged ones. @returns the texts that are embedded. */
  async hashChunks(chunks: readonly NewChunk[]): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    for (const [place, chunk] of chunks.entries()) {
      if (place % HASHED_AT_ONCE === HASHED_AT_ONCE - 1) await yieldLoop();
      const text = embeddedText(chunk);
      chunk.hash = hashOf(text);
      texts.set(chunk.hash.toString('hex'), text);
    }
    return texts;
  }

  /**
   * Fills hash, vector and model of chunks; an unchanged chunk keeps its vector. A document does not fail for want of vectors:
   * when the embedder is unavailable, chunks stay without, are found by their words, and the backfill adds the vectors later.
   * Throws the signal's reason and errors of the database only. @returns how many chunks have no vector.
   */
  async embedChunks(document: EmbeddedDocument, chunks: readonly NewChunk[], signal: AbortSignal): Promise<number> {
    const texts = await this.hashChunks(chunks);
    const { embedder } = this;
    if (!embedder) return chunks.length;
    const vectors = new Map<string, Buffer | undefined>();
    await this.embedAsFarAsPossible(document, texts, vectors, signal);
    let without = 0;
    for (const chunk of chunks) {
      const hash = chunk.hash?.toString('hex') ?? '';
      if (!vectors.has(hash)) without++;
      else Object.assign(chunk, { embedding: vectors.get(hash), embeddingModel: embedder.model });
    }
    return without;
  }

  /**
   * Adds the vectors of texts to `into`: known vectors, then new ones, which are stored as they come. Undefined: the model refuses
   * the text. When it throws, `into` has the vectors until then. Throws what `Embedder.embed` throws.
   */
  async embedTexts(
    accountId: number,
    texts: TextsByHash,
    into: Map<string, Buffer | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    const { embedder } = this;
    if (!embedder) return;
    const scope = { accountId, model: embedder.model };
    const hashes = [...texts.keys()].map((hex) => Buffer.from(hex, 'hex'));
    for (const [hash, vector] of await this.cache.find(scope, hashes)) into.set(hash, vector);
    const missing = [...texts].filter(([hash]) => !into.has(hash));
    for (let from = 0; from < missing.length; from += PER_ROUND) {
      const round = missing.slice(from, from + PER_ROUND);
      const vectors = await embedder.embed(
        round.map(([, text]) => text),
        signal,
      );
      const made: VectorsByHash = new Map();
      for (const [place, [hash]] of round.entries()) {
        const vector = vectors[place];
        into.set(hash, vector && bytesOf(vector));
        if (vector) made.set(hash, bytesOf(vector));
      }
      await this.cache.store(scope, made);
    }
  }

  /** Deletes vectors of texts that are kept too long. @returns how many. */
  purgeCache(keptRows?: number): Promise<number> {
    return this.cache.purge(keptRows);
  }

  private async embedAsFarAsPossible(
    { accountId, knowledgeBaseId, deadline }: EmbeddedDocument,
    texts: TextsByHash,
    into: Map<string, Buffer | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    const either = deadline ? AbortSignal.any([signal, deadline]) : signal;
    try {
      await this.embedTexts(accountId, texts, into, either);
    } catch (err) {
      signal.throwIfAborted();
      const embedderFailed = err instanceof EmbeddingsUnavailable || err instanceof EmbeddingsRefused;
      if (!embedderFailed && !deadline?.aborted) throw err;
      const fields = { err, knowledge_base_id: knowledgeBaseId, chunks: texts.size, embedded: into.size };
      this.log.warn(fields, 'chunks are indexed by their words for now; their vectors follow');
    }
  }
}

/**
 * The text of a chunk for the embedder: its headings and its text. The knowledge base's title is left to the search by words: a
 * new title would otherwise require every vector anew.
 */
export const embeddedText = (chunk: { headingPath: readonly string[]; text: string }): string =>
  chunk.headingPath.length === 0 ? chunk.text : `${chunk.headingPath.join(' > ')}\n${chunk.text}`;

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
