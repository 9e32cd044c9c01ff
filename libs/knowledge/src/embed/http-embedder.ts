import { Semaphore } from '@app/common';
import { setTimeout as delay } from 'node:timers/promises';
import { operatorEgress } from '@app/egress';
import { type ClosableEmbedder, EmbeddingsPaused, EmbeddingsUnavailable } from './embedder.js';
import { LimitReached, requestVectors, RetryAfterRequested, TextsRefused } from './embedding-request.js';
import type { HttpSettings } from './embedding-settings.js';
import { isKnownLanguage } from './known-languages.js';
import type { TextKind } from './wire-formats.js';

type Vectors = (Float32Array | undefined)[];

export interface RetryPolicy {
  /** Attempts per batch before it counts as failed. */
  tries: number;
  /** Upper bound of the first wait; it doubles with each further one. */
  firstWaitMs: number;
  longestWaitMs: number;
  /** An endpoint that failed receives no requests for this long. */
  restMs: number;
  batchTimeoutMs: number;
  queryTimeoutMs: number;
}

export const HTTP_RETRIES: RetryPolicy = {
  tries: 5,
  firstWaitMs: 500,
  longestWaitMs: 15_000,
  restMs: 15_000,
  // A small machine with Ollama takes half a minute for 32 chunks.
  batchTimeoutMs: 60_000,
  queryTimeoutMs: 2_000,
};

/** A failing question costs a search 150 ms: after this many consecutive failures the circuit opens. */
const TOLERATED_QUERIES = 5;
const MAX_PAUSE_MS = 600_000;

/** 49,152 numbers are parsed in 0.3 ms as base64, in 4 ms as a list. */
const batchLimits = ({ dimensions, textsPerBatch }: HttpSettings): BatchLimits => ({
  texts: Math.max(1, Math.min(textsPerBatch, Math.floor(49_152 / dimensions))),
  tokens: 12_000,
});

/**
 * Vectors from an endpoint: the role `embedder`, a vendor, or any server with OpenAI's embeddings API. The operator's URL may be an internal
 * address without EGRESS_ALLOW_CIDRS, as is usual for a model server: that list applies to addresses from users, and an entry for
 * the model server would also open it to webhooks and web pages. This Egress is used for one address only.
 */
export class HttpEmbedder implements ClosableEmbedder {
  readonly model: string;
  readonly dimensions: number;
  private readonly egress = operatorEgress();
  private readonly permits: Semaphore;
  /** Of questions and of documents: an endpoint that limits the documents still answers questions. */
  private readonly circuits: Record<TextKind, CircuitBreaker>;
  private base64 = true;
  /** The endpoint has accepted a text since the start: later rejections are caused by the text, not by the settings. */
  private proven = false;

  /** @param onFailure called after each attempt that the endpoint did not answer, or refused. */
  constructor(
    private readonly settings: HttpSettings,
    private readonly retries: RetryPolicy = HTTP_RETRIES,
    private readonly onFailure: () => void = () => undefined,
  ) {
    this.dimensions = settings.dimensions;
    this.model = `${settings.model}@${settings.dimensions}`;
    this.permits = new Semaphore(settings.atOnce);
    const circuit = () => new CircuitBreaker(TOLERATED_QUERIES, retries.restMs);
    this.circuits = { query: circuit(), passage: circuit() };
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
    const { passagePrefix, languages } = this.settings.facts;
    const known = texts.map((text) => isKnownLanguage(text, languages));
    const prefixed = texts.filter((_, place) => known[place]).map((text) => passagePrefix + text);
    const vectors = (await this.embedAll(prefixed, signal)).values();
    return known.map((isKnown) => (isKnown ? vectors.next().value : undefined));
  }

  async embedQuery(text: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    const { queryPrefix, languages } = this.settings.facts;
    if (!isKnownLanguage(text, languages)) return undefined;
    this.requireClosedCircuit('query');
    try {
      const [vector] = await this.request([queryPrefix + text], 'query', signal, this.retries.queryTimeoutMs);
      if (vector) return vector;
    } catch (error) {
      this.circuits.query.failed();
      throw error;
    }
    throw new EmbeddingsUnavailable('The model returned no vector for the question.');
  }

  /** The endpoint answers again, whatever failed before. */
  resume(): void {
    for (const circuit of Object.values(this.circuits)) circuit.succeeded();
  }

  close(): Promise<void> {
    return this.egress.close();
  }

  private async embedAll(texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
    const failure = new AbortController();
    const either = AbortSignal.any([signal, failure.signal]);
    const batches = textBatches(texts, batchLimits(this.settings)).map((batch) =>
      this.permits
        .run(() => this.embedBatch(batch, either))
        .catch((error: unknown) => {
          // The other batches would fail for the same reason.
          failure.abort(error);
          throw error;
        }),
    );
    await Promise.allSettled(batches);
    if (failure.signal.aborted) throw failure.signal.reason;
    return (await Promise.all(batches)).flat();
  }

  /** A rejected batch is halved until the rejected text is isolated. */
  private async embedBatch(texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
    signal.throwIfAborted();
    try {
      return await this.embedWithRetries(texts, signal);
    } catch (error) {
      if (!(error instanceof TextsRefused)) throw error;
      if (texts.length > 1) return this.embedHalves(texts, signal);
      if (this.proven) return [undefined];
      throw error;
    }
  }

  private async embedHalves(texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
    const middle = texts.length >> 1;
    const first = await this.embedBatch(texts.slice(0, middle), signal);
    return [...first, ...(await this.embedBatch(texts.slice(middle), signal))];
  }

  private async embedWithRetries(texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
    for (let tried = 1; ; tried++) {
      this.requireClosedCircuit('passage');
      try {
        return await this.request(texts, 'passage', signal, this.retries.batchTimeoutMs);
      } catch (error) {
        if (!(error instanceof EmbeddingsUnavailable)) throw error;
        await this.backOff(error, tried, signal);
      }
    }
  }

  private async backOff(error: EmbeddingsUnavailable, tried: number, signal: AbortSignal): Promise<void> {
    const { tries, firstWaitMs, longestWaitMs } = this.retries;
    const requestedMs = error instanceof RetryAfterRequested ? error.waitMs : undefined;
    if (tried >= tries || (requestedMs ?? 0) > longestWaitMs) {
      const pauseMs = Math.min(requestedMs ?? 0, MAX_PAUSE_MS);
      this.circuits.passage.open(pauseMs);
      if (!(error instanceof LimitReached)) this.circuits.query.open(pauseMs);
      throw error;
    }
    // Full jitter, so that the batches are not all sent again at once.
    const jittered = Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (tried - 1));
    await delay(requestedMs === undefined ? jittered : requestedMs + Math.random() * firstWaitMs, undefined, {
      signal,
    });
  }

  private async request(
    texts: readonly string[],
    kind: TextKind,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<Vectors> {
    const send = (base64: boolean) =>
      requestVectors(this.egress, this.settings, texts, { kind, timeoutMs, signal, base64 });
    try {
      const vectors = await send(this.base64).catch(async (error: unknown) => {
        if (this.proven || !this.base64 || !(error instanceof TextsRefused)) throw error;
        // Some servers reject unknown parameters.
        const taken = await send(false);
        this.base64 = false;
        return taken;
      });
      this.proven = true;
      this.circuits[kind].succeeded();
      return vectors;
    } catch (error) {
      if (!signal.aborted) this.onFailure();
      throw error;
    }
  }

  private requireClosedCircuit(kind: TextKind): void {
    if (this.circuits[kind].isOpen)
      throw new EmbeddingsPaused('The embeddings endpoint failed recently; requests to it are paused.');
  }
}

/** Blocks requests to a failing endpoint, so that searches and documents do not each wait for it. */
class CircuitBreaker {
  private until = 0;
  private failures = 0;

  /** @param toleratedFailures consecutive failures that open the circuit. @param restMs how long it stays open. */
  constructor(
    private readonly toleratedFailures: number,
    private readonly restMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  get isOpen(): boolean {
    return this.now() < this.until;
  }

  succeeded(): void {
    this.failures = 0;
    this.until = 0;
  }

  failed(): void {
    if (++this.failures >= this.toleratedFailures) this.open();
  }

  open(ms = 0): void {
    this.failures = 0;
    this.until = this.now() + Math.max(ms, this.restMs);
  }
}

interface BatchLimits {
  texts: number;
  /** Estimated as a third of the UTF-8 bytes: too high for English, right for Chinese. */
  tokens: number;
}

/** Groups consecutive texts within the limits; a text that is too long becomes a separate batch. */
export function textBatches(texts: readonly string[], limits: BatchLimits): string[][] {
  const batches: string[][] = [];
  let open: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const more = Buffer.byteLength(text) / 3;
    if (open.length > 0 && (open.length === limits.texts || tokens + more > limits.tokens)) {
      batches.push(open);
      open = [];
      tokens = 0;
    }
    open.push(text);
    tokens += more;
  }
  if (open.length > 0) batches.push(open);
  return batches;
}
