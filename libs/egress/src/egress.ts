import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { allowList, BlockedAddress, DeadlinePassed } from '@app/common';
import { Agent, request as undiciRequest, type Dispatcher } from 'undici';
import { Exchange, type Answer } from './exchange.js';
import { guardedConnector, systemResolve, type Resolve } from './guarded-connector.js';
import { closedInReuse } from './connection-reuse.js';
import { proxyError, throughProxy } from './egress-proxy.js';
import { checkUrl, type UrlRules } from './url-rules.js';

export interface EgressOptions {
  /** Networks that may be reached although they are not public, for example `10.20.0.0/16`. */
  allowCidrs: readonly string[];
  httpsOnly: boolean;
  /** Name resolution and TCP and TLS hand-shake together; 3 s when absent. */
  connectTimeoutMs?: number;
  /** How names become addresses; the system's resolver when absent. Never asked when there is a proxy. */
  resolve?: Resolve;
  /** `http://proxy:3128`: everything goes through this HTTP proxy of the operator, by CONNECT. */
  proxyUrl?: string;
}

const CONNECT_TIMEOUT_MS = 3_000;

/** The caller's deadline rules; undici's own timers would only add a second opinion. */
const PATIENT = { headersTimeout: 0, bodyTimeout: 0 };

export interface EgressRequest {
  method: string;
  headers: Record<string, string>;
  /** Absent: no body. */
  body?: string;
  /** Ends the request early: its reason is what `request` throws. */
  signal?: AbortSignal;
  /** From the call to the last byte of the answer. */
  totalTimeoutMs: number;
  /** Bytes of the answer that are kept; the connection is closed at the first one more. */
  maxBodyBytes: number;
  /**
   * Called in the same turn of the event loop in which the request is written to a connection, also when it is sent again over another
   * one. What it throws is what `request` throws; then nothing is written.
   */
  beforeWrite?: () => void;
}

export interface EgressResponse extends Answer {
  latencyMs: number;
}

/** Closes the connection of an answer whose body is not needed; without a listener the abort would be an uncaught error. */
export const discard = ({ body }: Pick<StreamedResponse, 'body'>): void =>
  void body.on('error', () => undefined).destroy();

/** A stored URL has 2048 characters at most; the query that we add to it comes on top. */
export const MAX_REQUEST_URL = 8192;

export class EgressTimeout extends DeadlinePassed {
  override readonly name = 'EgressTimeout';

  constructor(ms: number) {
    super(`No complete answer within ${ms} ms.`);
  }
}

/** An answer that is still arriving. The caller reads `body` to its end or destroys it. */
export interface StreamedResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

/**
 * The one way out to addresses that users give us: webhooks, tools, documents by URL. Reaches public addresses and the
 * allow-list only, follows no redirect by itself and reads no more than the given limit.
 */
export class Egress {
  private readonly rules: UrlRules;
  private readonly dispatcher: Dispatcher;

  /** Throws an Error that names the entry of `allowCidrs` that is not a network. */
  constructor(options: EgressOptions) {
    const { httpsOnly, proxyUrl, connectTimeoutMs = CONNECT_TIMEOUT_MS, resolve = systemResolve } = options;
    const allow = allowList(options.allowCidrs);
    this.rules = { httpsOnly, allow, proxied: proxyUrl !== undefined, maxLength: MAX_REQUEST_URL };
    this.dispatcher = proxyUrl
      ? throughProxy(proxyUrl, connectTimeoutMs)
      : new Agent({ connect: guardedConnector({ allow, resolve, connectTimeoutMs }) });
  }

  /**
   * Sends one request and reads its answer, whatever the status is.
   * @throws BlockedAddress when the target is not allowed (nothing was sent), EgressTimeout, the signal's reason, or the error
   * of the connection.
   */
  async request(url: string, request: EgressRequest): Promise<EgressResponse> {
    const target = this.check(url);
    const { totalTimeoutMs: ms, maxBodyBytes, beforeWrite, signal: outer } = request;
    outer?.throwIfAborted();
    const startedAt = performance.now();
    const exchange = new Exchange(this.dispatcher, dispatchOptions(target, request), maxBodyBytes, beforeWrite);
    const timer = setTimeout(() => exchange.end(new EgressTimeout(ms)), ms);
    const onAbort = () => exchange.end(outer?.reason as Error);
    outer?.addEventListener('abort', onAbort, { once: true });
    try {
      const answer = await exchange.answer;
      return { ...answer, latencyMs: Math.round(performance.now() - startedAt) };
    } catch (error) {
      throw proxyError(error);
    } finally {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Sends one GET and gives its answer while it is arriving, whatever the status is; the signal ends it at any time, and is the
   * only limit of time. Not redirected, not unpacked: see `followRedirects` and `takeBody`. Throws as `request` does.
   */
  async open(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<StreamedResponse> {
    const response = await this.send(this.check(url), headers, signal).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : proxyError(error);
    });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  }

  /** Aborts requests in flight and closes all connections. */
  close(): Promise<void> {
    return this.dispatcher.destroy();
  }

  /** Called by Nest, where it is a provider. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private check(url: string): URL {
    const checked = checkUrl(url, this.rules);
    if (typeof checked === 'string') throw new BlockedAddress(checked);
    return checked;
  }

  /** Again while it is only that a kept connection is closed in the moment it is used again, as an `Exchange` does. */
  private async send(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    for (;;) {
      try {
        return await undiciRequest(url, { ...PATIENT, dispatcher: this.dispatcher, headers, signal });
      } catch (error) {
        if (signal.aborted || !closedInReuse(error)) throw error;
      }
    }
  }
}

function dispatchOptions(url: URL, { method, headers, body }: EgressRequest): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = url;
  return {
    ...PATIENT,
    origin,
    path: `${pathname}${search}`,
    method,
    // An answer that arrives compressed all the same is kept as it is: nothing here unpacks (no bombs).
    headers: { ...headers, 'accept-encoding': 'identity' },
    body,
  };
}

/** The first `limit` bytes; what comes after them is not read. */
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
