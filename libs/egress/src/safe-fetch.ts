import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { allowList, BlockedAddress, DeadlinePassed, startDeadline } from '@app/common';
import { Agent, request as undiciRequest, type Dispatcher } from 'undici';
import { guardedConnector, systemResolve, type Resolve } from './safe-fetch-connect.js';
import { closedInReuse } from './safe-fetch-reuse.js';
import { proxyError, throughProxy } from './safe-fetch-proxy.js';
import { urlProblem, type UrlRules } from './safe-fetch-url.js';

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
}

export interface EgressResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The answer was longer than `maxBodyBytes`. */
  truncated: boolean;
  latencyMs: number;
}

/** Closes the connection of an answer whose body nobody wants; without a listener the abort would be an uncaught error. */
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

/** An answer that is still arriving. Whoever asked for it reads `body` to its end or destroys it. */
export interface StreamedResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

/**
 * The one way out to addresses that users give us: webhooks, tools, documents by URL. Reaches public addresses and the
 * allow-list only, follows no redirect by itself and reads no more than it was told.
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
    this.check(url);
    const ms = request.totalTimeoutMs;
    const deadline = startDeadline(ms, request.signal, () => new EgressTimeout(ms));
    const startedAt = performance.now();
    try {
      // An answer that arrives compressed all the same is kept as it is: nothing here unpacks (no bombs).
      const headers = { ...request.headers, 'accept-encoding': 'identity' };
      const response = await this.send(url, { ...request, headers, signal: deadline.signal });
      const { body, truncated } = await readUpTo(response.body, request.maxBodyBytes);
      const latencyMs = Math.round(performance.now() - startedAt);
      return { status: response.statusCode, headers: response.headers, body, truncated, latencyMs };
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : proxyError(error);
    } finally {
      deadline.clear();
    }
  }

  /**
   * Sends one GET and gives its answer while it is arriving, whatever the status is; the signal ends it at any time, and is the
   * only limit of time. Not redirected, not unpacked: see `followRedirects` and `takeBody`. Throws as `request` does.
   */
  async open(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<StreamedResponse> {
    this.check(url);
    const response = await this.send(url, { method: 'GET', headers, signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : proxyError(error);
    });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  }

  /** Ends what is under way and closes all connections. */
  close(): Promise<void> {
    return this.dispatcher.destroy();
  }

  private check(url: string): void {
    const problem = urlProblem(url, this.rules);
    if (problem) throw new BlockedAddress(problem);
  }

  /** Again while it is only that a kept connection is closed in the moment it is used again: each time there is one less of them. */
  private async send(
    url: string,
    request: Pick<EgressRequest, 'method' | 'headers' | 'body'> & { signal: AbortSignal },
  ): Promise<Dispatcher.ResponseData> {
    // The caller's deadline rules; undici's own timers would only add a second opinion.
    const patient = { headersTimeout: 0, bodyTimeout: 0 };
    const { method, headers, body, signal } = request;
    const options = { dispatcher: this.dispatcher, method, headers, body, signal, ...patient };
    for (;;) {
      try {
        return await undiciRequest(new URL(url), options);
      } catch (error) {
        if (signal.aborted || !closedInReuse(error)) throw error;
      }
    }
  }
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
