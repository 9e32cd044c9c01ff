import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setImmediate as immediate } from 'node:timers/promises';
import { connectionError, type Endpoint, endpointOf, InsecureEndpoint } from '../../socket/server-protocol.js';
import { ProviderUnavailable } from '../../voice-provider.js';

/** Unused connections stay open between two turns: `fetch` of Node closes them after 4 s, and a TLS handshake delays the next answer. */
const IDLE_MS = 60_000;
const KEEP_ALIVE = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 256 };
const AGENTS = { 'http:': new HttpAgent(KEEP_ALIVE), 'https:': new HttpsAgent(KEEP_ALIVE) };
/** 14,000 tokens with 300 bytes of JSON each: more than an hour of speech. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** The events of a piece take a few milliseconds to parse; other calls of the thread send their audio between two pieces. */
const PIECE_BYTES = 8 * 1024;
const WARMING_MS = 3_000;

/** The vendor's name is for error messages. */
interface Vendor {
  name: string;
  url: string;
}

/**
 * `fetch` for the requests to one vendor. Differs from Node's: unused connections stay open for a minute, responses are bounded,
 * redirects are not followed (a key must not follow them), and plain HTTP reaches private addresses only. Rejects as `connect` of a
 * VoiceProvider does.
 */
export function vendorFetch({ name }: Vendor): typeof fetch {
  return async (input, init = {}) => {
    const { url, lookup, headers } = safeEndpoint({
      url: String(input instanceof Request ? input.url : input),
    });
    const { signal, method = 'GET', body } = init;
    signal?.throwIfAborted();
    const request: HttpRequest = {
      url,
      options: { method, lookup, headers: { ...headers, ...plain(init.headers) } },
      body: typeof body === 'string' ? body : undefined,
      signal: signal ?? new AbortController().signal,
    };
    try {
      return responseOf(name, await responded(request), request.signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw connectionError(name, error as Error);
    }
  };
}

/** Opens a connection ahead of the first request. Never rejects. */
export async function warmConnection({ name, url }: Vendor, signal: AbortSignal): Promise<void> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(WARMING_MS)]);
  try {
    // Without a key: after any response the connection is free. Not HEAD: Node closes the connection after it.
    const { origin } = new URL(url);
    const response = await vendorFetch({ name, url })(`${origin}/`, { signal: either });
    await response.text();
    // The connection is free in the next event-loop turn.
    await immediate();
  } catch {
    // The first request reports why the server cannot be reached.
  }
}

interface HttpRequest {
  url: URL;
  options: Parameters<typeof httpsRequest>[1];
  body: string | undefined;
  signal: AbortSignal;
}

/** A server may close an unused connection in the moment of a request; it has read nothing of it then. */
async function responded(request: HttpRequest): Promise<IncomingMessage> {
  try {
    return await sent(request, AGENTS[request.url.protocol as keyof typeof AGENTS]);
  } catch (error) {
    if (!(error instanceof ClosedInReuse)) throw error;
    return sent(request, false);
  }
}

class ClosedInReuse extends Error {}

/** `agent` false: a connection for this request alone. */
function sent({ url, options, body, signal }: HttpRequest, agent: HttpAgent | false): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { ...options, agent });
    let response: IncomingMessage | undefined;
    // Not the option `signal`: after the response it passes its error to the connection, which then has no listener for it.
    const abort = (): void => void (response ?? request).destroy();
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
    request.once('response', (message: IncomingMessage) => resolve((response = message)));
    // Also after the response: an error of the connection then appears in the body.
    request.on('error', (error: Error & { code?: string }) => {
      const wasClosed = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(wasClosed && !signal.aborted ? new ClosedInReuse() : error);
    });
    request.end(body);
  });
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
    throw error;
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
        const { code } = error as { code?: string };
        throw code === undefined ? error : new Error(`The server of ${name} cut the connection (${code}).`);
      }
    },
    cancel() {
      message.destroy();
    },
  });
}

/** @throws ProviderUnavailable for an address outside of the private network without TLS. */
export function safeEndpoint(server: { url: string; key?: string }): Endpoint {
  try {
    return endpointOf(server);
  } catch (error) {
    throw error instanceof InsecureEndpoint ? new ProviderUnavailable(error.message) : error;
  }
}

const plain = (headers: RequestInit['headers']): Record<string, string> =>
  Object.fromEntries(new Headers(headers).entries());
