import type { IncomingMessage } from 'node:http';
import { type Clock, Watchdog } from '../../../clock.js';
import type { UsageItem } from '../../../usage.js';
import type { VendorServer } from '../../provider-settings.js';
import { type Endpoint, httpError, shorten, withoutKey } from '../../socket/server-protocol.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { SynthesisEvent } from '../ports.js';
import { bodyError, safeEndpoint, TEMPORARY, vendorResponse, warmConnection } from '../vendor-http.js';
import type { SentenceAudio } from './sentence-audio.js';

/** Without audio for so long, the server counts as broken. The deadlines of the pipeline are shorter; this bounds every other user. */
const STALL_MS = 5_000;
/** When a 429 names no time. */
const BUSY_MS = 1_000;

interface SentenceRequestsOptions {
  /** The vendor's name, for error messages. */
  name: string;
  server: VendorServer;
  /** The header with the key; absent: that of OpenAI and Azure. */
  authorization?: Record<string, string>;
  clock: Clock;
}

/** One sentence as a request of a vendor. */
interface SentenceRequest {
  /** With its query, after the address of the server. */
  path: string;
  /** JSON. */
  body: object;
  /** Reads the response of the server; throws for a response that is not speech. */
  read(response: IncomingMessage): AsyncIterable<SynthesisEvent>;
  /** Charged as soon as the vendor has accepted the request, also when it is cancelled later. */
  usage: UsageItem[];
  /** Charged by the audio so far, when it ends. */
  audioUsage?: () => UsageItem[];
}

/** Sentences over HTTP: one request each. */
export class SentenceRequests {
  private readonly endpoint: Endpoint;
  private readonly closing = new AbortController();

  constructor(private readonly options: SentenceRequestsOptions) {
    this.endpoint = safeEndpoint({ ...options.server, authorization: options.authorization });
  }

  /** Opens a connection ahead; never rejects. */
  prepare(signal: AbortSignal): Promise<void> {
    const { name, server } = this.options;
    return warmConnection({ name, url: server.url }, AbortSignal.any([signal, this.closing.signal]));
  }

  /** Ends after the last audio, or early when the signal aborts, which also cancels the request. */
  async *speak(sentence: SentenceRequest, signal: AbortSignal): AsyncGenerator<SynthesisEvent> {
    if (signal.aborted) return;
    const ending = new AbortController();
    const watchdog = new Watchdog(this.options.clock, STALL_MS, () => ending.abort(this.stalled()));
    let isSubmitted = false;
    const asked = this.request(sentence, AbortSignal.any([signal, ending.signal]), () => (isSubmitted = true));
    try {
      watchdog.feed();
      // Undefined: the signal aborted first.
      const response = await asked.catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (response || isSubmitted) yield* usageOf(sentence.usage);
      if (response) yield* this.received(sentence, response, watchdog, { signal, ending: ending.signal });
    } finally {
      watchdog.stop();
      ending.abort();
      // A cancelled request closes its connection: the next sentence must not wait for a new one.
      if (signal.aborted) void this.prepare(this.closing.signal);
    }
  }

  /** Connections are those of all calls; the server or a minute without requests closes them. */
  close(): void {
    this.closing.abort();
  }

  /** Bills the audio also after a failure. */
  private async *received(
    sentence: SentenceRequest,
    response: IncomingMessage,
    watchdog: Watchdog,
    { signal, ending }: { signal: AbortSignal; ending: AbortSignal },
  ): AsyncGenerator<SynthesisEvent> {
    let failure: unknown;
    try {
      for await (const event of sentence.read(response)) {
        // The time of a slow reader is not the server's.
        watchdog.stop();
        yield event;
        if (signal.aborted) break;
        watchdog.feed();
      }
      ending.throwIfAborted();
    } catch (error) {
      const { name } = this.options;
      failure = signal.aborted ? undefined : ending.aborted ? ending.reason : bodyError(name, error);
    }
    yield* usageOf(sentence.audioUsage?.() ?? []);
    if (failure !== undefined) throw failure;
  }

  private async request(
    { path, body }: SentenceRequest,
    signal: AbortSignal,
    onSubmitted: () => void,
  ): Promise<IncomingMessage> {
    const { url, lookup, headers } = this.endpoint;
    const json = JSON.stringify(body);
    const response = await vendorResponse(this.options.name, {
      url: new URL(url.href.replace(/\/$/, '') + path),
      method: 'POST',
      lookup,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) },
      body: json,
      signal,
      onSubmitted,
    });
    if (response.statusCode === 200) return response;
    const refusal = await this.refusal(response);
    signal.throwIfAborted();
    throw refusal;
  }

  private async refusal(response: IncomingMessage): Promise<Error> {
    const { name, server } = this.options;
    const { statusCode: status = 0 } = response;
    const error = await httpError(name, response);
    const message = withoutKey(server.key, error.message);
    if (error instanceof ProviderBusy) return new ProviderBusy(message, error.retryAfterMs);
    // An exhausted quota is a 429 of some vendors, and stays unavailable.
    if (error instanceof ProviderUnavailable && !TEMPORARY.has(status)) return new ProviderUnavailable(message);
    return status === 429 ? new ProviderBusy(message, BUSY_MS) : new Error(message);
  }

  private stalled(): Error {
    return new Error(`The server of ${this.options.name} sent no audio for ${STALL_MS / 1_000} s.`);
  }
}

function* usageOf(items: UsageItem[]): Generator<SynthesisEvent> {
  if (items.length > 0) yield { type: 'usage', items };
}

/** Audio as the body of a response. A proxy may send a page instead, and a server another format: both would be noise on the line. */
export async function* rawAudio(
  name: string,
  response: IncomingMessage,
  audio: SentenceAudio,
): AsyncGenerator<SynthesisEvent> {
  const type = response.headers['content-type'] ?? '';
  if (NOT_RAW.test(type)) throw new Error(`The server of ${name} sent ${shorten(type)} instead of raw audio.`);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const piece = audio.push(chunk);
    if (piece) yield { type: 'audio', audio: piece };
  }
  const rest = audio.end();
  if (rest) yield { type: 'audio', audio: rest };
}

const NOT_RAW = /^(?:text\/|application\/(?:json|xml|.*\+xml)|audio\/(?:mpeg|mp3|wav|x-wav|ogg|opus|flac|aac))/i;
