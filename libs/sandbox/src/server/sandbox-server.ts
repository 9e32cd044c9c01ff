import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Speech } from '@app/voice';
import { GeminiConversation, GeminiSessions } from './gemini-conversation.js';
import { faultsSchema, type Fault } from './faults.js';
import { bodyOf } from './request-body.js';
import { newId } from './response-run.js';
import type { ClientConnection, ServerEvent, Wire } from './conversation-items.js';
import { LiveConversation } from './live-conversation.js';
import { RealtimeConversation } from './realtime-conversation.js';
import type { Conversation, EmulatorServices, Opening, SocketRefusal } from '../vendors/emulator.js';
import { httpEmulatorOf, socketEmulatorOf } from '../vendors/emulators.js';
import { MAX_ROLE_LENGTH, type Script, ScriptCache, scriptId, ScriptInvalid } from './script.js';

const MAX_CONNECTIONS = 2_000;
/** A client sends a few kilobytes at a time; this is a minute of audio. */
const MAX_MESSAGE_LENGTH = 6 * 1024 * 1024;
/** UTF-8 of a script, which is bounded in characters. */
const MAX_BODY_LENGTH = 4 * MAX_ROLE_LENGTH;
const HOST = '127.0.0.1';

interface SandboxServerOptions {
  speech: Speech;
  /** 0, the default: any. */
  port?: number;
  /** The key of clients; random by default. */
  key?: string;
  /** The script for models that are not the name of a script. */
  script?: Script;
}

/**
 * Speaks OpenAI's protocols Realtime (GA) and Live and the Live protocol of Gemini and plays scripted agents, on this machine only:
 * `ws://127.0.0.1:<port>/v1/realtime?model=…`, `/v1/live/sessions`, `/ws/google.ai.generativelanguage.….BidiGenerateContent`, and
 * `PUT /v1/scripts/<sha256 of the body>` for the model `script-<sha256>`.
 */
export class SandboxServer {
  private readonly conversations = new Map<WebSocket, Conversation>();
  private readonly sessions = new GeminiSessions();
  private readonly sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_LENGTH,
  });

  private constructor(
    private readonly http: Server,
    private readonly scripts: ScriptCache,
    private readonly speech: Speech,
    readonly key: string,
  ) {
    http.on('request', (request, response) => void this.answer(request, response));
    http.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
  }

  /** Rejects when the port is taken. */
  static async start({ speech, port = 0, key, script }: SandboxServerOptions): Promise<SandboxServer> {
    const http = createServer();
    http.listen(port, HOST);
    await once(http, 'listening');
    return new SandboxServer(http, new ScriptCache(script), speech, key ?? randomBytes(32).toString('base64url'));
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  /** For clients, which add the model. */
  get url(): string {
    return urlOf(this.port);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    for (const conversation of this.conversations.values()) conversation.close();
    this.http.close();
    this.http.closeAllConnections();
    await once(this.http, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = urlOfRequest(request);
      const emulator = httpEmulatorOf(request.method ?? '', url);
      if (emulator) return await emulator.answer(request, response, this.services);
      const [status, body] = await this.resultOf(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    } catch {
      // The client disconnected during its request.
      response.destroy();
    }
  }

  private async resultOf(request: IncomingMessage): Promise<[number, unknown]> {
    if (!this.isKnown(request)) return refusal(401, 'invalid_api_key');
    const id = /^\/v1\/scripts\/([0-9a-f]{64})$/.exec(request.url ?? '')?.[1];
    if (id === undefined || request.method !== 'PUT') return refusal(404, 'not_found');
    const body = await bodyOf(request, MAX_BODY_LENGTH);
    if (body === undefined) return refusal(413, 'too_large');
    if (scriptId(body) !== id) return refusal(422, 'digest_mismatch');
    try {
      this.scripts.register(id, body);
      return [200, { model: `script-${id}` }];
    } catch (error) {
      if (error instanceof ScriptInvalid) return refusal(422, 'invalid_script', error.problems);
      if (error instanceof SyntaxError) return refusal(422, 'invalid_json');
      throw error;
    }
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const opened = this.openingOf(request);
    if (typeof opened !== 'function') return refuseUpgrade(socket, opened);
    this.sockets.handleUpgrade(request, socket, head, (client) => this.converse(client, socket, opened));
  }

  /** A number: the HTTP status of the refusal. */
  private openingOf(request: IncomingMessage): number | SocketRefusal | Opening {
    const url = urlOfRequest(request);
    const emulator = socketEmulatorOf(url);
    if (emulator)
      return this.sockets.clients.size >= MAX_CONNECTIONS ? 503 : emulator.open(request, url, this.services);
    const isGemini = GEMINI_PATH.test(url.pathname);
    const isLive = url.pathname === LIVE_PATH;
    if (url.pathname !== '/v1/realtime' && !isGemini && !isLive) return 404;
    // A wrong key of Gemini is refused after the connection.
    const isKnown = this.isKnown(request);
    if (!isKnown && !isGemini) return 401;
    if (this.sockets.clients.size >= MAX_CONNECTIONS) return 503;
    const ownFaults = faultsOf(url.searchParams.get('faults'));
    if (!ownFaults) return 400;
    const { speech, scripts, sessions } = this;
    if (isGemini)
      return (socket, stream) =>
        new GeminiConversation(connectionOf(socket, stream, true), { speech, scripts, sessions, isKnown, ownFaults });
    if (isLive)
      return (socket, stream) =>
        new LiveConversation(connectionOf(socket, stream, false), { speech, scripts }, ownFaults);
    const model = url.searchParams.get('model') ?? 'sandbox';
    const opened = scripts.open(model);
    if (!opened) return 404;
    const faults = [...opened.script.faults, ...ownFaults];
    const refused = faults.find(
      (fault) => fault.do === 'refuse' && opened.connection <= (fault.connections ?? Infinity),
    );
    if (refused?.do === 'refuse') return refused.status;
    return (socket, stream) => new RealtimeConversation(wireOf(socket, stream), { model, ...opened, faults, speech });
  }

  private converse(socket: WebSocket, stream: Duplex, opening: Opening): void {
    const conversation = opening(socket, stream);
    this.conversations.set(socket, conversation);
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary && conversation.receiveBinary) conversation.receiveBinary(data);
      else conversation.receive(data.toString('utf8'));
    });
    // A message that is too long or not UTF-8: the close frame names the reason.
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      this.conversations.delete(socket);
      conversation.close();
    });
    conversation.begin();
  }

  private get services(): EmulatorServices {
    return { speech: this.speech, scripts: this.scripts, isKnown: (request) => this.isKnown(request) };
  }

  /** The headers and parameters in which the vendors' clients send keys, or the subprotocol of browsers, which cannot set headers. */
  private isKnown(request: IncomingMessage): boolean {
    const { headers } = request;
    const authorization = /^(?:(?:Bearer|Token) )?(.+)$/i.exec(headers.authorization ?? '')?.[1];
    const protocols = (headers['sec-websocket-protocol'] ?? '').split(/,\s*/);
    const fromBrowser = protocols.find((name) => name.startsWith(BROWSER_KEY))?.slice(BROWSER_KEY.length);
    const { searchParams } = urlOfRequest(request);
    const fromHeader = KEY_HEADERS.map((name) => headers[name]).find((value) => value !== undefined);
    const fromQuery = KEY_PARAMETERS.map((name) => searchParams.get(name)).find((value) => value !== null);
    const given = authorization ?? fromHeader ?? fromBrowser ?? fromQuery;
    return typeof given === 'string' && timingSafeEqual(digest(given), digest(this.key));
  }
}

export const urlOf = (port: number): string => `ws://${HOST}:${port}/v1/realtime`;

/** Google's client begins the path with two slashes. */
const urlOfRequest = ({ url = '/' }: IncomingMessage): URL => new URL(`http://${HOST}${url}`);

const LIVE_PATH = '/v1/live/sessions';
const GEMINI_PATH = /^\/\/?ws\/google\.ai\.generativelanguage\.v1\w*\.GenerativeService\.BidiGenerateContent$/;

/** Azure, Google, Anthropic and Cartesia, ElevenLabs. */
const KEY_HEADERS = ['api-key', 'x-goog-api-key', 'x-api-key', 'xi-api-key'];
/** Google, AssemblyAI, Cartesia. */
const KEY_PARAMETERS = ['key', 'token', 'api_key'];
const BROWSER_KEY = 'openai-insecure-api-key.';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function wireOf(socket: WebSocket, stream: Duplex): Wire {
  const connection = connectionOf(socket, stream, false);
  const send = (event: ServerEvent): void => connection.sendRaw(JSON.stringify({ event_id: newId('event'), ...event }));
  return Object.assign(connection, { send });
}

/** `binary`: messages are binary, as those of Google's servers. */
function connectionOf(socket: WebSocket, stream: Duplex, binary: boolean): ClientConnection {
  let isStalled = false;
  const sendRaw = (text: string): void => {
    if (isStalled || socket.readyState !== socket.OPEN) return;
    // A response of a sentence is a dozen events: one write for all of them.
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    socket.send(binary ? Buffer.from(text) : text);
  };
  return {
    sendRaw,
    get waitingBytes() {
      return socket.bufferedAmount;
    },
    close: (code, reason) => socket.close(code, reason),
    cut: () => {
      // Events before the cut still leave.
      while (stream.writableCorked > 0) stream.uncork();
      socket.terminate();
    },
    stall: () => (isStalled = true),
  };
}

/** Undefined: the faults are invalid. */
function faultsOf(json: string | null): Fault[] | undefined {
  if (json === null) return [];
  try {
    return faultsSchema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

function refusal(status: number, code: string, problems?: string[]): [number, unknown] {
  const message = STATUS_CODES[status] ?? code;
  return [status, { error: { type: 'invalid_request_error', code, message, problems } }];
}

function refuseUpgrade(socket: Duplex, refused: number | SocketRefusal): void {
  const { status, headers = {}, body } = typeof refused === 'number' ? openAiRefusal(refused) : refused;
  const json = JSON.stringify(body);
  const length = String(Buffer.byteLength(json));
  const all = { connection: 'close', 'content-type': 'application/json', 'content-length': length, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', json].join('\r\n'));
}

function openAiRefusal(status: number): SocketRefusal {
  const [, body] = refusal(status, status === 401 ? 'invalid_api_key' : 'refused');
  return { status, body: body as object };
}
