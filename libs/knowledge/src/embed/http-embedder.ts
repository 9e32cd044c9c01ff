import { Semaphore } from '@app/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Egress } from '@app/egress';
import { type ClosableEmbedder, EmbeddingsUnavailable } from './embedder.js';
import { AskedToWait, requestVectors, TextsRefused } from './embedding-request.js';
import type { HttpSettings } from './embedding-settings.js';

type Vectors = (Float32Array | undefined)[];

export interface RetryPolicy {
  /** How often a batch is sent before it counts as failed. */
  tries: number;
  /** The first wait is up to this long, each next one up to twice as long. */
  firstWaitMs: number;
  longestWaitMs: number;
  /** An endpoint that failed is left alone for so long. */
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

const AT_ONCE = 4;
/** A question that fails costs a search 150 ms: after so many in a row searches stop asking. */
const TOLERATED_QUERIES = 5;
const ASKED_TO_WAIT_AT_MOST_MS = 600_000;

/** TEI takes 32 texts at once unless told otherwise; 49,152 numbers are parsed in 0.3 ms as base64, in 4 as a list. */
const batchLimits = (dimensions: number): BatchLimits => ({
  texts: Math.max(1, Math.min(32, Math.floor(49_152 / dimensions))),
  tokens: 12_000,
});

/**
 * Vectors from any endpoint that speaks OpenAI's embeddings: OpenAI, Azure, Ollama, TEI, vLLM. What the operator configured
 * may be an inside address without EGRESS_ALLOW_CIDRS: a model server usually is one, and that list is for addresses that users
 * give; opening it for the model server would open it for webhooks and web pages too. This way out has one address only.
 */
export class HttpEmbedder implements ClosableEmbedder {
  readonly model: string;
  readonly dimensions: number;
  private readonly egress = new Egress({ allowCidrs: ['0.0.0.0/0', '::/0'], httpsOnly: false });
  private readonly permits = new Semaphore(AT_ONCE);
  private readonly rest: EndpointRest;
  private base64 = true;
  /** It has taken a text since the start: what it refuses from then on is the text's fault, not the settings'. */
  private proven = false;

  constructor(
    private readonly settings: HttpSettings,
    private readonly retries: RetryPolicy = HTTP_RETRIES,
  ) {
    this.dimensions = settings.dimensions;
    this.model = `${settings.model}@${settings.dimensions}`;
    this.rest = new EndpointRest(TOLERATED_QUERIES, retries.restMs);
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
    const prefixed = texts.map((text) => this.settings.facts.passagePrefix + text);
    const failure = new AbortController();
    const either = AbortSignal.any([signal, failure.signal]);
    const batches = textBatches(prefixed, batchLimits(this.dimensions)).map((batch) =>
      this.permits
        .run(() => this.embedBatch(batch, either))
        .catch((error: unknown) => {
          // What one batch met, the others would meet as well.
          failure.abort(error);
          throw error;
        }),
    );
    await Promise.allSettled(batches);
    if (failure.signal.aborted) throw failure.signal.reason;
    return (await Promise.all(batches)).flat();
  }

  async embedQuery(text: string, signal: AbortSignal): Promise<Float32Array> {
    this.refuseWhileResting();
    try {
      const [vector] = await this.request(
        [this.settings.facts.queryPrefix + text],
        signal,
        this.retries.queryTimeoutMs,
      );
      if (vector) return vector;
    } catch (error) {
      this.rest.failed();
      throw error;
    }
    throw new EmbeddingsUnavailable('The model has no vector for the question.');
  }

  close(): Promise<void> {
    return this.egress.close();
  }

  /** A batch that is refused is halved until the text that is refused stands alone. */
  private async embedBatch(texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
    signal.throwIfAborted();
    try {
      return await this.tryAgainAndAgain(texts, signal);
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

  private async tryAgainAndAgain(texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
    for (let tried = 1; ; tried++) {
      this.refuseWhileResting();
      try {
        return await this.request(texts, signal, this.retries.batchTimeoutMs);
      } catch (error) {
        if (!(error instanceof EmbeddingsUnavailable)) throw error;
        await this.waitOrGiveUp(error, tried, signal);
      }
    }
  }

  private async waitOrGiveUp(error: EmbeddingsUnavailable, tried: number, signal: AbortSignal): Promise<void> {
    const { tries, firstWaitMs, longestWaitMs } = this.retries;
    const asked = error instanceof AskedToWait ? error.waitMs : undefined;
    if (tried >= tries || (asked ?? 0) > longestWaitMs) {
      this.rest.begin(Math.min(asked ?? 0, ASKED_TO_WAIT_AT_MOST_MS));
      throw error;
    }
    // Full jitter: the batches of one refusal do not come back all at once.
    const jittered = Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (tried - 1));
    await delay(asked === undefined ? jittered : asked + Math.random() * firstWaitMs, undefined, { signal });
  }

  private async request(texts: readonly string[], signal: AbortSignal, timeoutMs: number): Promise<Vectors> {
    const send = (base64: boolean) => requestVectors(this.egress, this.settings, texts, { timeoutMs, signal, base64 });
    const vectors = await send(this.base64).catch((error: unknown) => {
      if (this.proven || !this.base64 || !(error instanceof TextsRefused)) throw error;
      // There are servers that refuse parameters they do not know.
      return send(false).then((taken) => {
        this.base64 = false;
        return taken;
      });
    });
    this.proven = true;
    this.rest.worked();
    return vectors;
  }

  private refuseWhileResting(): void {
    if (this.rest.resting)
      throw new EmbeddingsUnavailable('The embeddings endpoint failed and is left alone for a while.');
  }
}

/** Keeps requests away from an endpoint that fails, so that searches and documents do not each wait for it again. */
class EndpointRest {
  private until = 0;
  private failures = 0;

  /** @param toleratedFailures so many questions in a row may fail. @param restMs for how long it is left alone then. */
  constructor(
    private readonly toleratedFailures: number,
    private readonly restMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  get resting(): boolean {
    return this.now() < this.until;
  }

  worked(): void {
    this.failures = 0;
    this.until = 0;
  }

  failed(): void {
    if (++this.failures >= this.toleratedFailures) this.begin();
  }

  begin(ms = 0): void {
    this.failures = 0;
    this.until = this.now() + Math.max(ms, this.restMs);
  }
}

interface BatchLimits {
  texts: number;
  /** Estimated as a third of the UTF-8 bytes: too many for English, right for Chinese. */
  tokens: number;
}

/** Neighbours together, as many as the limits allow; a text that is too long is a batch of its own. */
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
