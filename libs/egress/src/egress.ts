import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { allowList, BlockedAddress, DeadlinePassed } from '@app/common';
import { LRUCache } from 'lru-cache';
import { Agent, type Dispatcher, request as undiciRequest } from 'undici';
import {
  isClosedInReuse,
  createGuardedConnector,
  proxyError,
  type Resolve,
  systemResolve,
  throughProxy,
} from './egress-connections.js';
import { checkUrl, type UrlRules } from './url-rules.js';

export interface EgressOptions {
  /** Networks that are allowed although they are not public, for example `10.20.0.0/16`. */
  allowCidrs: readonly string[];
  httpsOnly: boolean;
  /** Total time of name resolution, TCP and TLS handshake; 3 s if absent. */
  connectTimeoutMs?: number;
  /** The resolver; the system's if absent. Not used with a proxy. */
  resolve?: Resolve;
  /** `http://proxy:3128`: all requests use this HTTP proxy of the operator, by CONNECT. */
  proxyUrl?: string;
}

const CONNECT_TIMEOUT_MS = 3_000;
const KEPT_TARGETS = 1_000;

/** A checked URL as undici takes it. */
type Target = Pick<Dispatcher.DispatchOptions, 'origin' | 'path'>;

/** Disables undici's timers: the caller's deadline applies. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

export interface EgressRequest {
  method: string;
  headers: Record<string, string>;
  /** Absent: no body. */
  body?: string;
  /** Aborts the request; `request` throws its reason. */
  signal?: AbortSignal;
  /** From the call to the last byte of the response. */
  totalTimeoutMs: number;
  /** Bytes of the response to keep; the connection is closed at the first one beyond. */
  maxBodyBytes: number;
  /**
   * Called in the same turn of the event loop in which the request is written to a connection, also before a retry on another one.
   * If it throws, nothing is written, and `request` throws the same error.
   */
  beforeWrite?: () => void;
}

export interface EgressResponse extends ReceivedResponse {
  latencyMs: number;
}

/**
 * These responses end with their headers, whatever their Content-Length says (RFC 9112 §6.3): that of a 304 is the length of the
 * content which the client has. undici reports it as an error.
 */
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([204, 304]);

/** Closes the connection of a response whose body is not needed; without a listener, the abort would be an uncaught error. */
export const discard = ({ body }: Pick<StreamedResponse, 'body'>): void =>
  void body.on('error', () => undefined).destroy();

/** A stored URL has 2048 characters at most; requests may append a query. */
export const MAX_REQUEST_URL = 8192;

export class EgressTimeout extends DeadlinePassed {
  override readonly name = 'EgressTimeout';

  constructor(ms: number) {
    super(`No complete response within ${ms} ms.`);
  }
}

interface StreamRequest {
  method: 'GET' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  /** Absent: no body. */
  body?: string;
  /** Aborts the request and the reading of its response. */
  signal: AbortSignal;
  /** The request must not be sent twice, even if the server most likely did not read it (see `isClosedInReuse`). */
  once?: boolean;
}

/** A response that is still arriving. The caller must read `body` to its end or destroy it. */
export interface StreamedResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

/**
 * The only way to send requests to addresses from users: webhooks, tools, documents by URL. Reaches public addresses and the
 * allow-list only, follows no redirects and reads no more than the given limit.
 */
export class Egress {
  private readonly rules: UrlRules;
  private readonly dispatcher: Dispatcher;
  /** Webhooks use the same few URLs; to parse and check one takes a twentieth of the CPU time of a delivery. */
  private readonly targets = new LRUCache<string, Target>({ max: KEPT_TARGETS });

  /** Throws an Error that names an invalid entry of `allowCidrs`. */
  constructor(options: EgressOptions) {
    const { httpsOnly, proxyUrl, connectTimeoutMs = CONNECT_TIMEOUT_MS, resolve = systemResolve } = options;
    const allow = allowList(options.allowCidrs);
    this.rules = { httpsOnly, allow, proxied: proxyUrl !== undefined, maxLength: MAX_REQUEST_URL };
    this.dispatcher = proxyUrl
      ? throughProxy(proxyUrl, connectTimeoutMs)
      : new Agent({ connect: createGuardedConnector({ allow, resolve, connectTimeoutMs }) });
  }

  /**
   * Sends one request and reads its response with any status.
   * @throws BlockedAddress if the target is not allowed (nothing was sent), EgressTimeout, the signal's reason, or the error of the
   * connection.
   */
  async request(url: string, request: EgressRequest): Promise<EgressResponse> {
    const target = this.target(url);
    const { totalTimeoutMs: ms, maxBodyBytes, beforeWrite, signal: outer } = request;
    outer?.throwIfAborted();
    const startedAt = performance.now();
    const exchange = new Exchange(this.dispatcher, dispatchOptions(target, request), maxBodyBytes, beforeWrite);
    const timer = setTimeout(() => exchange.end(new EgressTimeout(ms)), ms);
    const onAbort = () => exchange.end(outer?.reason as Error);
    outer?.addEventListener('abort', onAbort, { once: true });
    try {
      const { status, headers, body, truncated } = await exchange.response;
      return { status, headers, body, truncated, latencyMs: Math.round(performance.now() - startedAt) };
    } catch (error) {
      throw proxyError(error);
    } finally {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Sends one GET and returns its response, with any status, while it is arriving; the signal aborts it at any time and is the only
   * time limit. Redirects are not followed and the body is not decoded: see `followRedirects` and `takeBody`. Throws like `request`.
   */
  open(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<StreamedResponse> {
    return this.stream(url, { method: 'GET', headers, signal });
  }

  /** `open` for any method, with a body. */
  async stream(url: string, request: StreamRequest): Promise<StreamedResponse> {
    const { signal } = request;
    const response = await this.send(this.check(url), request).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : proxyError(error);
    });
    const { statusCode: status, headers, body } = response;
    if (!WITHOUT_CONTENT.has(status)) return { status, headers, body };
    discard({ body });
    return { status, headers, body: Readable.from([]) };
  }

  /** Aborts requests in flight and closes all connections. */
  close(): Promise<void> {
    return this.dispatcher.destroy();
  }

  /** Called by Nest if it is a provider. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private target(url: string): Target {
    const known = this.targets.get(url);
    if (known) return known;
    const { origin, pathname, search } = this.check(url);
    const target = { origin, path: `${pathname}${search}` };
    this.targets.set(url, target);
    return target;
  }

  private check(url: string): URL {
    const checked = checkUrl(url, this.rules);
    if (typeof checked === 'string') throw new BlockedAddress(checked);
    return checked;
  }

  /** Retries while a reused connection is closed at the same moment, like `Exchange`. */
  private async send(url: URL, { once = false, ...request }: StreamRequest): Promise<Dispatcher.ResponseData> {
    for (;;) {
      try {
        return await undiciRequest(url, { ...NO_TIMEOUTS, dispatcher: this.dispatcher, ...request });
      } catch (error) {
        if (once || request.signal.aborted || !isClosedInReuse(error)) throw error;
      }
    }
  }
}

/**
 * For addresses that the operator chose, which may be private without EGRESS_ALLOW_CIDRS: that list is for addresses from users. Use it for
 * these addresses only.
 */
export const operatorEgress = (): Egress => new Egress({ allowCidrs: ['0.0.0.0/0', '::/0'], httpsOnly: false });

function dispatchOptions(target: Target, { method, headers, body }: EgressRequest): Dispatcher.DispatchOptions {
  const { origin, path } = target;
  const { headersTimeout, bodyTimeout } = NO_TIMEOUTS;
  // Names and values in turn.
  const flat: string[] = [];
  for (const name of Object.keys(headers)) if (name !== 'accept-encoding') flat.push(name, headers[name]!);
  // A response that is compressed nevertheless is not decoded, so that compression bombs have no effect.
  flat.push('accept-encoding', 'identity');
  // To spread several objects into one takes 2.5 µs, a fiftieth of a delivery.
  return { origin, path, method, headers: flat, body, headersTimeout, bodyTimeout };
}

/** The first `limit` bytes; the rest is not read. */
export async function readUpTo(body: Readable, limit: number): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop destroys the body and with it the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) return { body: Buffer.concat(chunks).subarray(0, limit), truncated: true };
  }
  return { body: Buffer.concat(chunks, length), truncated: false };
}

/** A complete response. */
interface ReceivedResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The first bytes. */
  body: Buffer;
  /** The response was longer; the connection was closed at the limit. */
  truncated: boolean;
}

/**
 * One request and its response, by the callbacks of undici's dispatchers. `undici.request` creates a stream and a signal for each,
 * which took a seventh of a dispatcher's CPU time.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<ReceivedResponse>;
  private resolve!: (response: ReceivedResponse) => void;
  private reject!: (reason: unknown) => void;
  /** The reason if the exchange was ended. */
  private ended: Error | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private headers: ReceivedResponse['headers'] = {};
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly options: Dispatcher.DispatchOptions,
    /** Bytes of the response to keep. */
    private readonly maxBodyBytes: number,
    /** Called immediately before each write of the request; an error ends the exchange. */
    private readonly beforeWrite?: () => void,
  ) {
    this.response = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.send();
  }

  /** Closes the connection of the running request; `response` rejects with this reason unless it is complete. */
  end(reason: Error): void {
    this.reject(reason);
    this.ended = reason;
    this.controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ended) return controller.abort(this.ended);
    try {
      this.beforeWrite?.();
    } catch (error) {
      this.end(error as Error);
    }
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ReceivedResponse['headers'],
  ): void {
    this.status = status;
    this.headers = headers;
    if (WITHOUT_CONTENT.has(status)) this.resolve(this.whole(false));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
    if (this.length <= this.maxBodyBytes || this.ended) return;
    this.resolve(this.whole(true));
    this.end(new Error('The response exceeds the limit.'));
  }

  onResponseEnd(): void {
    this.resolve(this.whole(false));
  }

  /** Retries while a reused connection is closed at the same moment; each retry uses up one of them. */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.ended && isClosedInReuse(error)) this.send();
    else this.reject(error);
  }

  private send(): void {
    this.dispatcher.dispatch(this.options, this);
  }

  private whole(truncated: boolean): ReceivedResponse {
    const { status, headers, chunks, length } = this;
    const body = Buffer.concat(chunks, Math.min(length, this.maxBodyBytes));
    return { status, headers, body, truncated };
  }
}
