import { createHash } from 'node:crypto';
import { CooperativeYield, type EmbeddingsEnv, type Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';
import type { NewChunk } from '../knowledge-chunks.repository.js';
import { EMBEDDING_RETRIES } from '../tokens.js';
import { openBuiltinEmbedder } from './builtin-embedder.js';
import { bytesOf, type ClosableEmbedder, type Embedder, EmbeddingsRefused, EmbeddingsUnavailable } from './embedder.js';
import { EmbeddingCacheRepository, type VectorsByHash } from './embedding-cache.repository.js';
import { type EmbeddingSettings, embeddingSettings } from './embedding-settings.js';
import { HttpEmbedder, type RetryPolicy } from './http-embedder.js';
import { openLocalEmbedder } from './local-embedder.js';

/** The embedder of the process; undefined: none is configured, and search is lexical only. */
export interface CurrentEmbedder {
  readonly embedder: Embedder | undefined;
}

/** The document whose chunks are embedded. */
interface EmbeddedDocument {
  accountId: number;
  knowledgeBaseId: number;
  /** Ends the embedding without an error: the remaining chunks get their vectors later. One per document. */
  deadline?: AbortSignal;
}

/** Texts by their hash, in hex. */
type TextsByHash = ReadonlyMap<string, string>;

/** Texts per round: embedded together (the embedder makes its own batches), then stored. An outage costs one round at most. */
const PER_ROUND = 128;

/**
 * Owns the configured embedder and computes the vectors of chunks. Starting needs no network: an endpoint that is down does not
 * prevent a process from starting.
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

  /** @throws MissingSetting, LocalEmbeddingsUnusable or BuiltinEmbeddingsUnusable. */
  async onModuleInit(): Promise<void> {
    const settings = embeddingSettings(this.env);
    if (!settings) return;
    this.opened = await this.open(settings);
    const { model } = this.opened;
    this.log.info({ provider: settings.provider, model }, 'semantic search of knowledge bases is enabled');
  }

  private async open(settings: EmbeddingSettings): Promise<ClosableEmbedder> {
    if (settings.provider === 'builtin') return openBuiltinEmbedder();
    return settings.provider === 'local' ? openLocalEmbedder(settings) : new HttpEmbedder(settings, this.retries);
  }

  async onModuleDestroy(): Promise<void> {
    await this.opened?.close();
  }

  get embedder(): Embedder | undefined {
    return this.opened;
  }

  /** Sets the hash of chunks, by which unchanged chunks are recognised later. @returns the texts to embed, by hash. */
  async hashChunks(chunks: readonly NewChunk[]): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    const pacing = new CooperativeYield();
    for (const chunk of chunks) {
      if (pacing.due) await pacing.pause();
      const text = embeddedText(chunk);
      chunk.hash = hashOf(text);
      texts.set(chunk.hash.toString('hex'), text);
    }
    return texts;
  }

  /**
   * Sets hash, vector and model of chunks; an unchanged chunk keeps its vector. Missing vectors do not fail a document: if the
   * embedder is unavailable, lexical search finds the chunks, and the backfill adds the vectors later. Throws only the signal's
   * reason and database errors. @returns the number of chunks without a vector.
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
   * Adds the vectors of texts to `into`: known vectors, then new ones, which are stored round by round. Undefined: the model
   * rejects the text. After an error, `into` contains the vectors so far. Throws like `Embedder.embed`.
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

  /** Deletes expired vectors from the cache. @returns the number of deleted rows. */
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
      this.log.warn(fields, 'chunks are stored without vectors for now; the backfill adds them later');
    }
  }
}

/**
 * The embedded text of a chunk: its headings and its text. Only lexical search includes the knowledge base's title: otherwise a
 * changed title would require new vectors for every chunk.
 */
export const embeddedText = (chunk: { headingPath: readonly string[]; text: string }): string =>
  chunk.headingPath.length === 0 ? chunk.text : `${chunk.headingPath.join(' > ')}\n${chunk.text}`;

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
