import { performance } from 'node:perf_hooks';
import { Agent, request as undiciRequest, type Dispatcher } from 'undici';
import { allowList, BlockedAddress, type AllowList } from './address-class.js';
import { guardedConnector, systemResolve, type Resolve } from './safe-fetch-connect.js';
import { urlProblem } from './safe-fetch-url.js';

export interface EgressOptions {
  /** Networks that may be reached although they are not public, for example `10.20.0.0/16`. */
  allowCidrs: readonly string[];
  httpsOnly: boolean;
  /** Name resolution and TCP and TLS hand-shake together; 3 s when absent. */
  connectTimeoutMs?: number;
  /** How names become addresses; the system's resolver when absent. */
  resolve?: Resolve;
}

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

/** A stored URL has 2048 characters at most; the query that we add to it comes on top. */
const MAX_REQUEST_URL = 8192;

export class EgressTimeout extends Error {
  override readonly name = 'EgressTimeout';
}

/**
 * The one way out to addresses that users give us: webhooks, tools, documents by URL. Reaches public addresses and the
 * allow-list only, follows no redirect, asks for no compression and reads no more than it was told.
 */
export class Egress {
  private readonly allow: AllowList;
  private readonly httpsOnly: boolean;
  private readonly agent: Agent;

  /** Throws an Error that names the entry of `allowCidrs` that is not a network. */
  constructor(options: EgressOptions) {
    this.allow = allowList(options.allowCidrs);
    this.httpsOnly = options.httpsOnly;
    this.agent = new Agent({
      connect: guardedConnector({
        allow: this.allow,
        resolve: options.resolve ?? systemResolve,
        connectTimeoutMs: options.connectTimeoutMs ?? 3_000,
      }),
    });
  }

  /**
   * Sends one request and reads its answer, whatever the status is.
   * @throws BlockedAddress when the target is not allowed (nothing was sent), EgressTimeout, the signal's reason, or the error
   * of the connection.
   */
  async request(url: string, request: EgressRequest): Promise<EgressResponse> {
    const rules = { httpsOnly: this.httpsOnly, allow: this.allow, maxLength: MAX_REQUEST_URL };
    const problem = urlProblem(url, rules);
    if (problem) throw new BlockedAddress(problem);
    const deadline = startDeadline(request);
    const startedAt = performance.now();
    try {
      const response = await this.send(new URL(url), request, deadline.signal);
      const { body, truncated } = await readUpTo(response.body, request.maxBodyBytes);
      const latencyMs = Math.round(performance.now() - startedAt);
      return { status: response.statusCode, headers: response.headers, body, truncated, latencyMs };
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : error;
    } finally {
      deadline.clear();
    }
  }

  /** Ends what is under way and closes all connections. */
  close(): Promise<void> {
    return this.agent.destroy();
  }

  private send(url: URL, request: EgressRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return undiciRequest(url, {
      dispatcher: this.agent,
      method: request.method,
      // An answer that arrives compressed all the same is kept as it is: nothing here unpacks (no bombs).
      headers: { ...request.headers, 'accept-encoding': 'identity' },
      body: request.body,
      signal,
      // The deadline rules; undici's own timers would only add a second opinion.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}

/** One signal over everything: the caller's and the total time. */
function startDeadline(request: EgressRequest): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  const onAbort = () => controller.abort(request.signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new EgressTimeout(`No complete answer within ${request.totalTimeoutMs} ms.`)),
    request.totalTimeoutMs,
  );
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) onAbort();
  const clear = () => {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
  };
  return { signal: controller.signal, clear };
}

async function readUpTo(
  body: Dispatcher.ResponseData['body'],
  limit: number,
): Promise<{ body: Buffer; truncated: boolean }> {
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
