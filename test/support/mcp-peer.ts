import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { randomUUID } from 'node:crypto';
import { EventEmitter, on, once } from 'node:events';
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { PATIENCE_MS } from './eventually.js';

interface ReceivedMessage {
  path: string;
  httpMethod: string;
  headers: IncomingMessage['headers'];
  /** The JSON-RPC method; undefined: a response, or no body. */
  method?: string;
  params?: Record<string, unknown>;
}

type Answer = (request: IncomingMessage, response: ServerResponse, message: unknown) => void;

/** An MCP server of the SDK over streamable HTTP, with sessions, as agents of the tests meet it. */
export class McpPeer {
  tools: Tool[] = [];
  /** The result of a tool call. */
  call: (name: string, args: Record<string, unknown>, signal: AbortSignal) => CallToolResult | Promise<CallToolResult> =
    (name, args) => ({
      content: [{ type: 'text', text: JSON.stringify({ name, args }) }],
    });
  /** Answers instead of the SDK; undefined: the SDK answers. */
  instead: (path: string, method: string | undefined) => Answer | undefined = () => undefined;
  readonly received: ReceivedMessage[] = [];
  private readonly news = new EventEmitter();
  private readonly sessions = new Map<string, StreamableHTTPServerTransport>();

  private constructor(
    private readonly server: HttpServer,
    private readonly asJson: boolean,
  ) {}

  /** `asJson`: results are JSON instead of a stream of events. */
  static async start({ asJson = false, port = 0 } = {}): Promise<McpPeer> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const peer = new McpPeer(server, asJson);
    server.on('request', (request, response) => void peer.handle(request, response));
    return peer;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path = '/mcp'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Open sessions. */
  get openSessions(): number {
    return this.sessions.size;
  }

  of(method: string): ReceivedMessage[] {
    return this.received.filter((one) => one.method === method);
  }

  /** Waits until the received messages satisfy the condition. */
  async until(isDone: () => boolean, signal = AbortSignal.timeout(PATIENCE_MS)): Promise<void> {
    if (isDone()) return;
    for await (const _ of on(this.news, 'news', { signal })) if (isDone()) return;
  }

  /** As after a restart: no session is known. */
  forgetSessions(): void {
    this.sessions.clear();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = request.method === 'POST' ? ((await json(request)) as ReceivedMessage) : undefined;
    const { url: path = '', method: httpMethod = '', headers } = request;
    this.received.push({ path, httpMethod, headers, method: message?.method, params: message?.params });
    this.news.emit('news');
    const answer = this.instead(path, message?.method);
    if (answer) answer(request, response, message);
    else await this.answer(request, response, message);
    this.news.emit('news');
  }

  private async answer(request: IncomingMessage, response: ServerResponse, message: unknown): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = this.sessions.get(String(id));
    if (id !== undefined && !known) return void response.writeHead(404).end();
    await (known ?? (await this.open())).handleRequest(request, response, message);
  }

  private async open(): Promise<StreamableHTTPServerTransport> {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: this.asJson,
      onsessioninitialized: (id) => void this.sessions.set(id, transport),
      onsessionclosed: (id) => void this.sessions.delete(id),
    });
    const server = new Server({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: this.tools }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
      this.call(params.name, params.arguments ?? {}, signal),
    );
    await server.connect(transport);
    return transport;
  }
}

/** A tool as a server lists it. */
export const aListedTool = (more: Partial<Tool> = {}): Tool => ({
  name: 'findOrder',
  description: 'Finds an order.',
  inputSchema: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
  ...more,
});
