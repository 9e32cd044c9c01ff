import { BlockedAddress, VERSION } from '@app/common';
import { BodyTooLarge, connectionProblem, type Egress, EgressTimeout, takeBody, UnknownEncoding } from '@app/egress';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { ActionError, ActionErrorCode } from '../domain/tool.js';

/** A server as a connection needs it. */
export interface McpTarget {
  url: string;
  /** Plain values, sent with every request to this URL. */
  headers: readonly { key: string; value: string }[];
}

/** Why a server could not be used, for its owner and for the model. The message contains no address. */
export class McpFailure extends Error {
  constructor(readonly error: ActionError) {
    super(error.message);
  }
}

const failure = (code: ActionErrorCode, message: string, status?: number): McpFailure =>
  new McpFailure({ code, message, ...(status === undefined ? {} : { status }) });

/** A list of 64 tools with the largest schemas. */
const MAX_LIST_BYTES = 1024 * 1024;
/** More than the model receives, because images are dropped afterwards. */
const MAX_RESULT_BYTES = 256 * 1024;
/** Pages of `tools/list`. */
const MAX_PAGES = 8;
/** Time for the last bytes of a stream to become a message, before the request fails. */
const GRACE_MS = 250;
/** The SDK's timer is not used: the signals decide. */
const NO_TIMEOUT_MS = 300_000;
/** The polite end of a session. */
const FAREWELL_MS = 2_000;

const TOOL_PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const TOOL_RESULT = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type McpToolResult = z.infer<typeof TOOL_RESULT>;

/** The key of a request in `_meta`, which the server may use to recognise a repetition. */
export const INVOCATION_KEY = 'trunkline/invocation_id';

/** The SDK: 100 modules, which processes without MCP servers do not need. Loading it early makes the first call of a tool faster. */
export const loadMcpClient = () => (loading ??= load());

let loading: ReturnType<typeof load> | undefined;

async function load() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  return { Client, StreamableHTTPClientTransport };
}

/** A request that waits for its response. */
interface Pending {
  signal: AbortSignal;
  /** Ends the wait. */
  end: (reason: unknown) => void;
}

/**
 * One MCP session with a server over streamable HTTP. All requests go through the egress guard; redirects are not followed, and no stream
 * is open between requests. The types of the server's schemas are not trusted: results are read as plain JSON.
 */
export class McpConnection {
  private client?: Client;
  private closed = false;
  /** By the invocation of a request; '' for other requests, of which one is under way at a time. */
  private readonly pending = new Map<string, Pending>();
  private terminate: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly egress: Pick<Egress, 'stream'>,
    private readonly target: McpTarget,
  ) {}

  /** Opens the session. @throws McpFailure */
  async open(signal: AbortSignal): Promise<void> {
    const { Client, StreamableHTTPClientTransport } = await loadMcpClient();
    const transport = new StreamableHTTPClientTransport(new URL(this.target.url), {
      fetch: (url, init) => this.fetch(String(url), init ?? {}),
      requestInit: {
        headers: Object.fromEntries(this.target.headers.map(({ key, value }) => [key, value])),
        redirect: 'manual',
      },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
    });
    this.client = new Client({ name: 'trunkline', version: VERSION }, { jsonSchemaValidator: NO_VALIDATION });
    this.terminate = () => transport.terminateSession();
    await this.within('', signal, (options) => this.client!.connect(transport, options));
  }

  /** The tools as the server describes them, at most `limit` + 1. @throws McpFailure */
  async listTools(limit: number, signal: AbortSignal): Promise<unknown[]> {
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && tools.length <= limit; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const found = await this.within('', signal, (options) =>
        this.client!.request({ method: 'tools/list', params }, TOOL_PAGE, options),
      );
      tools.push(...found.tools);
      cursor = found.nextCursor;
      if (cursor === undefined) break;
    }
    return tools.slice(0, limit + 1);
  }

  /** @throws McpFailure */
  callTool(
    call: { name: string; arguments: Record<string, unknown>; meta: Record<string, string> },
    signal: AbortSignal,
  ): Promise<McpToolResult> {
    const { name, arguments: args, meta } = call;
    const params = { name, arguments: args, _meta: meta };
    return this.within(meta[INVOCATION_KEY] ?? '', signal, (options) =>
      this.client!.request({ method: 'tools/call', params }, TOOL_RESULT, options),
    );
  }

  /** Ends the session, and the requests in flight. Does not throw. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    for (const { end } of this.pending.values()) end(failure('aborted', ABORTED));
    await this.terminate().catch(() => undefined);
    await this.client?.close().catch(() => undefined);
  }

  private async within<T>(
    key: string,
    signal: AbortSignal,
    ask: (options: { signal: AbortSignal; timeout: number }) => Promise<T>,
  ): Promise<T> {
    if (this.closed) throw failure('aborted', ABORTED);
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    this.pending.set(key, { signal: either, end: (reason) => ended.abort(reason) });
    try {
      either.throwIfAborted();
      return await ask({ signal: either, timeout: NO_TIMEOUT_MS });
    } catch (error) {
      // The reason is more precise than the error of the stream that it closed, which may arrive first.
      if (!either.aborted) await setImmediate();
      throw toFailure(either.aborted ? either.reason : error);
    } finally {
      this.pending.delete(key);
    }
  }

  /** The `fetch` of the SDK. A GET would only open a stream for notifications, which nothing here reads. */
  private async fetch(url: string, init: RequestInit): Promise<Response> {
    if (init.method === 'GET') return new Response(null, { status: 405 });
    const message = typeof init.body === 'string' ? init.body : undefined;
    const { method, pending } = this.requestOf(message);
    const own = pending?.signal ?? AbortSignal.timeout(FAREWELL_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, own]) : own;
    const response = await this.egress.stream(url, {
      method: init.method === 'DELETE' ? 'DELETE' : 'POST',
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity', 'user-agent': AGENT },
      ...(message === undefined ? {} : { body: message }),
      signal,
      once: method === 'tools/call',
    });
    const most = method === 'tools/call' ? MAX_RESULT_BYTES : MAX_LIST_BYTES;
    const sink = new PassThrough();
    const limits = { maxRawBytes: most, maxDecodedBytes: most };
    const end = (reason: unknown): void => {
      if (!isCancelled(reason)) pending?.end(reason);
    };
    // The SDK waits for another stream after a stream without a response.
    const unanswered = (): void => {
      if (method?.startsWith('tools/')) setTimeout(end, GRACE_MS, failure('connection_failed', UNANSWERED)).unref();
    };
    takeBody(response, sink, limits, signal).then(unanswered, end);
    return new Response(bodyOf(sink, response.status), {
      status: response.status,
      headers: textHeaders(response.headers),
    });
  }

  /** A message and the request that waits for its response; notifications of the SDK, such as a cancellation, have none. */
  private requestOf(message: string | undefined): { method?: string; pending?: Pending } {
    if (message === undefined) return {};
    const { method, params } = JSON.parse(message) as { method?: string; params?: { _meta?: Record<string, string> } };
    if (method === undefined || (method.startsWith('notifications/') && method !== 'notifications/initialized'))
      return {};
    const key = method === 'tools/call' ? (params?._meta?.[INVOCATION_KEY] ?? '') : '';
    return { method, pending: this.pending.get(key) };
  }
}

const AGENT = `Trunkline/${VERSION}`;
const ABORTED = 'The call ended before there was an answer.';
const UNANSWERED = 'The MCP server closed the connection without an answer.';
const NOT_MCP = 'The answer of the server is not MCP over streamable HTTP.';
/** The server's output schemas are not compiled. */
const NO_VALIDATION = {
  getValidator:
    <T>() =>
    (input: unknown) => ({ valid: true as const, data: input as NonNullable<T>, errorMessage: undefined }),
};

/** The SDK does not read the body: it has already failed for another reason. */
const isCancelled = (error: unknown): boolean =>
  (error as Error).name === 'AbortError' || (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';

const EMPTY = new Set([101, 103, 204, 205, 304]);

function bodyOf(sink: PassThrough, status: number): ReadableStream<Uint8Array> | null {
  // Errors end the wait for the response themselves.
  sink.on('error', () => undefined);
  if (!EMPTY.has(status)) return Readable.toWeb(sink) as ReadableStream<Uint8Array>;
  sink.resume();
  return null;
}

/** Only what the SDK reads. */
const textHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    ['content-type', 'mcp-session-id'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );

/** JSON-RPC's codes of the SDK's own errors. */
const CONNECTION_CLOSED = -32_000;
const REQUEST_TIMEOUT = -32_001;
/** Characters of a server's message that are kept: a sentence, not a page. */
const MESSAGE_LENGTH = 500;

function toFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  if (error instanceof BlockedAddress) return failure('blocked_address', connectionProblem(error));
  if (error instanceof EgressTimeout) return failure('timeout', connectionProblem(error));
  if (error instanceof BodyTooLarge) return failure('answer_too_large', 'The answer of the MCP server is too large.');
  if (error instanceof UnknownEncoding) return failure('unreadable_answer', 'The answer has an unknown encoding.');
  const { name, code, message } = error as { name?: string; code?: unknown; message?: string };
  if (name === 'AbortError') return failure('aborted', ABORTED);
  if (name === 'McpError' && typeof code === 'number') return ofJsonRpc(code, message ?? '');
  if (typeof code === 'number') return ofHttp(code);
  const unreadable = name === 'ZodError' || name === '$ZodError' || name === 'SyntaxError';
  return unreadable ? failure('protocol_error', NOT_MCP) : failure('connection_failed', connectionProblem(error));
}

function ofJsonRpc(code: number, message: string): McpFailure {
  if (code === CONNECTION_CLOSED) return failure('connection_failed', UNANSWERED);
  if (code === REQUEST_TIMEOUT) return failure('timeout', 'The MCP server did not answer in time.');
  const said = message.replace(/^MCP error -?\d+: /, '').slice(0, MESSAGE_LENGTH);
  return failure('tool_error', `The MCP server answered with error ${code}: ${said}`);
}

/** StreamableHTTPError: the status, or -1 for a content type other than JSON and SSE. */
function ofHttp(status: number): McpFailure {
  if (status < 100) return failure('protocol_error', NOT_MCP);
  if (status >= 300 && status <= 399)
    return failure(
      'http_error',
      `The MCP server answered with a redirect (status ${status}), which is not followed.`,
      status,
    );
  return failure('http_error', `The MCP server answered with status ${status}.`, status);
}
