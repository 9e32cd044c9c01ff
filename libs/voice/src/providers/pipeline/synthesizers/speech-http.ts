import { Agent as PlainAgent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { type Clock, Watchdog } from '../../../clock.js';
import type { UsageItem } from '../../../usage.js';
import { type ProviderSettings, type VendorName, vendorServer, type VendorServer } from '../../provider-settings.js';
import {
  connectionError,
  type Endpoint,
  endpointOf,
  httpError,
  InsecureEndpoint,
  shortened,
} from '../../socket/server-protocol.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { SynthesisEvent } from '../ports.js';
import type { SentenceAudio } from './sentence-audio.js';

/** Without audio for so long, the server counts as broken. The deadlines of the pipeline are shorter; this bounds every other user. */
const STALL_MS = 5_000;
/** Two sentences ahead of the played one, and one that is being cancelled. */
const MAX_CONNECTIONS = 8;
/** When a 429 names no time. */
const BUSY_MS = 1_000;
/** The server may accept the same request a moment later. */
const TRANSIENT = new Set([408, 409, 425]);

interface SpeechHttpOptions {
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

/** Sentences over HTTP: one request each, over connections that stay open between sentences. */
export class SpeechHttp {
  private readonly endpoint: Endpoint;
  private readonly agent: PlainAgent | TlsAgent;
  private closed = false;

  constructor(private readonly options: SpeechHttpOptions) {
    const { server, authorization } = options;
    const { key, ...keyless } = server;
    this.endpoint = endpointOf(authorization ? keyless : { ...keyless, key });
    const settings = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
    this.agent = this.isTls ? new TlsAgent(settings) : new PlainAgent(settings);
  }

  /** Opens a connection ahead, with a request that needs no key and has no effect; never rejects. */
  prepare(signal: AbortSignal): Promise<void> {
    const isReady = Object.keys(this.agent.freeSockets).length > 0;
    if (this.closed || signal.aborted || isReady) return Promise.resolve();
    return new Promise((resolve) => {
      const request = this.request('', {
        method: 'HEAD',
        headers: { 'user-agent': this.endpoint.headers['user-agent']! },
      });
      const abort = () => void request.destroy();
      const cancel = this.options.clock.after(STALL_MS, abort);
      signal.addEventListener('abort', abort, { once: true });
      request.on('response', (response) => response.resume());
      // A sentence reports the failure when it fails as well.
      request.on('error', () => undefined);
      request.on('close', () => {
        cancel();
        signal.removeEventListener('abort', abort);
        resolve();
      });
      request.end();
    });
  }

  /** Ends after the last audio, or early when the signal aborts, which also cancels the request. */
  async *speak(sentence: SentenceRequest, signal: AbortSignal): AsyncGenerator<SynthesisEvent> {
    if (signal.aborted) return;
    const posting = this.post(sentence);
    const watchdog = new Watchdog(this.options.clock, STALL_MS, () => posting.cancel(this.stalled()));
    const abort = () => posting.cancel(new Error('The sentence was cancelled.'));
    signal.addEventListener('abort', abort, { once: true });
    try {
      watchdog.feed();
      const response = await accepted(posting, signal);
      if (response || posting.isSubmitted) yield* usageOf(sentence.usage);
      if (response) yield* this.received(sentence, response, watchdog, signal);
    } finally {
      watchdog.stop();
      signal.removeEventListener('abort', abort);
      posting.cancel();
      // A cancelled request closes its connection: the next sentence must not wait for a new one.
      if (signal.aborted) void this.prepare(new AbortController().signal);
    }
  }

  close(): void {
    this.closed = true;
    this.agent.destroy();
  }

  /** Bills the audio also after a failure. */
  private async *received(
    sentence: SentenceRequest,
    response: IncomingMessage,
    watchdog: Watchdog,
    signal: AbortSignal,
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
    } catch (error) {
      failure = signal.aborted ? undefined : this.readable(error);
    }
    yield* usageOf(sentence.audioUsage?.() ?? []);
    if (failure !== undefined) throw failure;
  }

  private get isTls(): boolean {
    return this.endpoint.url.protocol === 'https:';
  }

  private request(path: string, options: { method: string; headers: Record<string, string | number> }): ClientRequest {
    const { url, lookup } = this.endpoint;
    const open = this.isTls ? tlsRequest : plainRequest;
    return open(new URL(url.href.replace(/\/$/, '') + path), {
      ...options,
      agent: this.agent,
      ...(lookup && { lookup }),
    });
  }

  private post({ path, body }: SentenceRequest): Posting {
    const json = JSON.stringify(body);
    const headers = {
      ...this.endpoint.headers,
      ...this.options.authorization,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(json),
    };
    return new Posting(json, {
      open: () => this.request(path, { method: 'POST', headers }),
      unreachable: (error) => connectionError(this.options.name, error),
      refusal: (response) => this.refusal(response),
    });
  }

  private async refusal(response: IncomingMessage): Promise<Error> {
    const { name } = this.options;
    const { statusCode: status = 0 } = response;
    const error = await httpError(name, response);
    const message = this.withoutKey(error.message);
    if (error instanceof ProviderBusy) return new ProviderBusy(message, error.retryAfterMs);
    // An exhausted quota is a 429 of some vendors, and stays unavailable.
    if (error instanceof ProviderUnavailable && !TRANSIENT.has(status)) return new ProviderUnavailable(message);
    return status === 429 ? new ProviderBusy(message, BUSY_MS) : new Error(message);
  }

  /** Errors of Node have codes. */
  private readable(error: unknown): unknown {
    const { code } = error as { code?: string };
    return code === undefined ? error : new Error(`The server of ${this.options.name} broke off the audio (${code}).`);
  }

  /** Servers may repeat the key in their message. */
  private withoutKey(message: string): string {
    const { key } = this.options.server;
    return key ? message.replaceAll(key, '…') : message;
  }

  private stalled(): Error {
    return new Error(`The server of ${this.options.name} sent no audio for ${STALL_MS / 1_000} s.`);
  }
}

function* usageOf(items: UsageItem[]): Generator<SynthesisEvent> {
  if (items.length > 0) yield { type: 'usage', items };
}

/** Undefined: the signal aborted first. */
async function accepted(posting: Posting, signal: AbortSignal): Promise<IncomingMessage | undefined> {
  try {
    return await posting.response;
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}

/** Audio as the body of a response. A proxy may send a page instead, and a server another format: both would be noise on the line. */
export async function* rawAudio(
  name: string,
  response: IncomingMessage,
  audio: SentenceAudio,
): AsyncGenerator<SynthesisEvent> {
  const type = response.headers['content-type'] ?? '';
  if (NOT_RAW.test(type)) throw new Error(`The server of ${name} sent ${shortened(type)} instead of raw audio.`);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const piece = audio.push(chunk);
    if (piece) yield { type: 'audio', audio: piece };
  }
  const rest = audio.end();
  if (rest) yield { type: 'audio', audio: rest };
}

const NOT_RAW = /^(?:text\/|application\/(?:json|xml|.*\+xml)|audio\/(?:mpeg|mp3|wav|x-wav|ogg|opus|flac|aac))/i;

interface PostingParts {
  open(): ClientRequest;
  unreachable(error: Error & { code?: string }): Error;
  refusal(response: IncomingMessage): Promise<Error>;
}

/** One request until its response. A kept connection that the server closed meanwhile is replaced once. */
class Posting {
  readonly response: Promise<IncomingMessage>;
  /** The whole request was sent. */
  isSubmitted = false;
  private isCancelled = false;
  private reason: Error | undefined;
  private request!: ClientRequest;
  private received: IncomingMessage | undefined;

  constructor(
    private readonly json: string,
    private readonly parts: PostingParts,
  ) {
    this.response = new Promise((resolve, reject) => this.send(true, resolve, reject));
    this.response.catch(() => undefined);
  }

  /** Closes the connection unless the whole response was read. */
  cancel(reason?: Error): void {
    if (this.isCancelled || (this.received?.complete && this.received.readableEnded)) return;
    this.isCancelled = true;
    this.reason = reason;
    this.received?.destroy(reason);
    this.request.destroy(reason);
  }

  private send(mayRepeat: boolean, resolve: (response: IncomingMessage) => void, reject: (error: Error) => void): void {
    const request = (this.request = this.parts.open());
    request.on('finish', () => (this.isSubmitted = true));
    request.on('error', (error: Error & { code?: string }) => {
      if (mayRepeat && request.reusedSocket && error.code === 'ECONNRESET' && !this.isCancelled)
        this.send(false, resolve, reject);
      else reject(this.reason ?? this.parts.unreachable(error));
    });
    request.on('response', (response) => {
      this.received = response;
      if (response.statusCode === 200) resolve(response);
      else void this.parts.refusal(response).then(reject);
    });
    request.end(this.json);
  }
}

/** Why a vendor cannot synthesise with these settings, as a sentence. */
export function serverProblem(vendor: VendorName, keyName: string, settings: ProviderSettings): string | undefined {
  const server = vendorServer(vendor, settings);
  if (!server) return `The synthesizer "${vendor}" is not configured; set ${keyName}.`;
  try {
    endpointOf({ url: server.url });
    return undefined;
  } catch (error) {
    if (error instanceof InsecureEndpoint) return error.message;
    throw error;
  }
}
