import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setImmediate as immediate } from 'node:timers/promises';
import { connectionError, type Endpoint, endpointOf, InsecureEndpoint } from '../socket/server-protocol.js';
import { ProviderUnavailable } from '../voice-provider.js';

/** Unused connections stay open between two turns: `fetch` of Node closes them after 4 s, and a TLS handshake delays the next answer. */
const IDLE_MS = 60_000;
const KEEP_ALIVE = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 256 };
const AGENTS = { 'http:': new HttpAgent(KEEP_ALIVE), 'https:': new HttpsAgent(KEEP_ALIVE) };
/** 14,000 tokens with 300 bytes of JSON each: more than an hour of speech. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** The events of a piece take a few milliseconds to parse; other calls of the thread send their audio between two pieces. */
const PIECE_BYTES = 8 * 1024;
const WARMING_MS = 3_000;
/** The server may accept the same request a moment later, although the status is below 500. */
export const TEMPORARY: ReadonlySet<number> = new Set([408, 409, 425]);

/** The vendor's name is for error messages. */
interface Vendor {
  name: string;
  url: string;
}

interface VendorRequest {
  url: URL;
  method: string;
  headers: Record<string, string | number>;
  lookup?: Endpoint['lookup'];
  body?: string;
  /** An abort ends the request, also while the response is read. */
  signal: AbortSignal;
  /** The whole request was sent. */
  onSubmitted?: () => void;
}

/**
 * The response to a request, of any status. Redirects are not followed: a key must not follow them. Rejects as `connect` of a
 * VoiceProvider does, or with the reason of the signal.
 */
export async function vendorResponse(name: string, request: VendorRequest): Promise<IncomingMessage> {
  request.signal.throwIfAborted();
  try {
    return await sent(request, AGENTS[request.url.protocol as keyof typeof AGENTS]).catch((error: unknown) => {
      // A server may close an unused connection in the moment of a request; it has read nothing of it then.
      if (!(error instanceof ClosedInReuse)) throw error;
      return sent(request, false);
    });
  } catch (error) {
    request.signal.throwIfAborted();
    throw connectionError(name, error as Error);
  }
}

class ClosedInReuse extends Error {}

/** `agent` false: a connection for this request alone. */
function sent(options: VendorRequest, agent: HttpAgent | false): Promise<IncomingMessage> {
  const { url, method, headers, lookup, body, signal, onSubmitted } = options;
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { method, headers, lookup, agent });
    let response: IncomingMessage | undefined;
    // Not the option `signal`: after the response it passes its error to the connection, which then has no listener for it.
    const abort = (): void => void (response ?? request).destroy();
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
    if (onSubmitted) request.once('finish', onSubmitted);
    request.once('response', (message: IncomingMessage) => resolve((response = message)));
    // Also after the response: an error of the connection then appears in the body.
    request.on('error', (error: Error & { code?: string }) => {
      const wasClosed = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(wasClosed && !signal.aborted ? new ClosedInReuse() : error);
    });
    request.end(body);
  });
}

/** The error of a body that ended early, as a sentence. Errors of Node have codes. */
export function bodyError(name: string, error: unknown): unknown {
  const { code } = error as { code?: string };
  return code === undefined ? error : new Error(`The server of ${name} cut the connection (${code}).`);
}

/** Opens a connection ahead of the first request. Never rejects. */
export async function warmConnection({ name, url }: Vendor, signal: AbortSignal): Promise<void> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(WARMING_MS)]);
  try {
    if (hasFreeConnection(new URL(url))) return;
    // Without a key: after any response the connection is free. Not HEAD: Node closes the connection after it.
    const { origin } = new URL(url);
    const response = await vendorFetch({ name })(`${origin}/`, { signal: either });
    await response.text();
    // The connection is free in the next event-loop turn.
    await immediate();
  } catch {
    // The first request reports why the server cannot be reached.
  }
}

function hasFreeConnection({ protocol, hostname, port }: URL): boolean {
  const start = `${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'https:' ? 443 : 80)}:`;
  const { freeSockets } = AGENTS[protocol as keyof typeof AGENTS];
  return Object.keys(freeSockets).some((name) => name.startsWith(start));
}

/** `fetch` for the requests to one vendor. Differs from Node's: as `vendorResponse`, and responses are bounded. */
export function vendorFetch({ name }: Pick<Vendor, 'name'>): typeof fetch {
  return async (input, init = {}) => {
    const { url, lookup, headers } = safeEndpoint({
      url: String(input instanceof Request ? input.url : input),
    });
    const { signal: given, method = 'GET', body } = init;
    const signal = given ?? new AbortController().signal;
    const message = await vendorResponse(name, {
      url,
      method,
      lookup,
      headers: { ...headers, ...plain(init.headers) },
      body: typeof body === 'string' ? body : undefined,
      signal,
    });
    return responseOf(name, message, signal);
  };
}

function responseOf(name: string, message: IncomingMessage, signal: AbortSignal): Response {
  const { statusCode: status = 0, headers } = message;
  const lines = Object.entries(headers).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, String(value)]],
  );
  try {
    const hasBody = status !== 204 && status !== 205 && status !== 304;
    if (!hasBody) message.resume();
    return new Response(hasBody ? bodyOf(name, message, signal) : null, { status, headers: lines });
  } catch (error) {
    // A status or header outside of the standard.
    message.destroy();
    throw connectionError(name, error as Error);
  }
}

/** The body, read when the reader asks for it. */
function bodyOf(name: string, message: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let left = MAX_RESPONSE_BYTES;
  let rest: Buffer = Buffer.alloc(0);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (rest.length > 0) await immediate();
        else {
          const { done, value } = await chunks.next();
          if (done) return controller.close();
          rest = value;
        }
        const piece = rest.subarray(0, PIECE_BYTES);
        rest = rest.subarray(PIECE_BYTES);
        left -= piece.length;
        if (left < 0) throw new Error(`The server of ${name} exceeded the receive limit.`);
        controller.enqueue(piece);
      } catch (error) {
        message.destroy();
        signal.throwIfAborted();
        throw bodyError(name, error);
      }
    },
    cancel() {
      message.destroy();
    },
  });
}

/** @throws ProviderUnavailable for an address outside of the private network without TLS. */
export function safeEndpoint(server: Parameters<typeof endpointOf>[0]): Endpoint {
  try {
    return endpointOf(server);
  } catch (error) {
    throw error instanceof InsecureEndpoint ? new ProviderUnavailable(error.message) : error;
  }
}

const plain = (headers: RequestInit['headers']): Record<string, string> =>
  Object.fromEntries(new Headers(headers).entries());
