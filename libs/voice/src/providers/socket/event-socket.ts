import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket, type RawData } from 'ws';
import type { Clock } from '../../clock.js';
import { connectionError, type Endpoint, httpError } from './server-protocol.js';

/** A caller is waiting: a slower server counts as down. */
const HANDSHAKE_MS = 5_000;
/** Bounds a server that sends its response byte by byte and is never idle. */
const OPENING_MS = 6_000;
/** A connection without any data between two pings is dead. */
const PING_MS = 5_000;
/** The largest message: a session with 100,000 characters of instructions and its tools. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** About 70 s of unsent audio. Pings detect a dead network earlier; this bounds the memory. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Time for the close handshake; after that the socket is destroyed. */
const CLOSING_MS = 1_000;
const NORMAL = 1000;
const PROTOCOL_FAULT = 1002;

interface SocketListener<ServerEvent> {
  event(event: ServerEvent): void;
  /** Called once, when the server or the network ended the connection; not after `close`. */
  lost(reason: string): void;
}

interface SocketOptions<ServerEvent> {
  /** The provider's name, for error messages. */
  name: string;
  endpoint: Endpoint;
  clock: Clock;
  /** The server sends its JSON as binary messages. */
  binary?: boolean;
  /** The wait after a 429 that names none; absent: a retry may help at once. */
  busyMs?: number;
  /** Undefined: the message violates the protocol, and the connection is closed. */
  read: (message: string) => ServerEvent | undefined;
  listener: SocketListener<ServerEvent>;
}

/** JSON events in both directions over one WebSocket, with limits, dead-peer detection and without compression (2.8x the CPU). */
export class EventSocket<ClientEvent, ServerEvent> {
  private closed = false;
  /** Data arrived since the last ping. */
  private alive = true;
  private readonly limiter: ReceiveLimiter;
  private cancelPing = (): void => undefined;

  private constructor(
    private readonly socket: WebSocket,
    private readonly options: SocketOptions<ServerEvent>,
  ) {
    this.limiter = new ReceiveLimiter(options.clock);
  }

  /** Rejects with ProviderUnavailable, ProviderBusy or another error, as `connect` of a provider does. */
  static async open<ClientEvent, ServerEvent>(
    options: SocketOptions<ServerEvent>,
    signal: AbortSignal,
  ): Promise<EventSocket<ClientEvent, ServerEvent>> {
    signal.throwIfAborted();
    const socket = connect(options);
    // A first message in the packet of the handshake waits for its listener.
    socket.once('open', () => socket.pause());
    const refused = whyNotOpen(socket, options);
    const cancel = options.clock.after(OPENING_MS, () => socket.terminate());
    try {
      await Promise.race([once(socket, 'open', { signal }), refused]);
    } catch (error) {
      socket.on('error', () => undefined);
      socket.terminate();
      throw error;
    } finally {
      cancel();
    }
    const opened = new EventSocket<ClientEvent, ServerEvent>(socket, options);
    opened.start();
    return opened;
  }

  send(event: ClientEvent): void {
    // A string would become two writes; a buffer is copied behind its header.
    this.sendMessage(Buffer.from(JSON.stringify(event)), false);
  }

  /**
   * Sends a JSON event with audio, in base64 between its two parts, which are ASCII. Up to 50 times a second and call: as one string it
   * would be joined, measured and encoded again.
   */
  sendAudio([before, after]: readonly [string, string], audio: Buffer): void {
    const base64 = audio.toString('base64');
    const message = Buffer.allocUnsafe(before.length + base64.length + after.length);
    message.write(before, 0, 'latin1');
    message.write(base64, before.length, 'latin1');
    message.write(after, before.length + base64.length, 'latin1');
    this.sendMessage(message, false);
  }

  /** Sends audio as a binary message. */
  sendBinary(audio: Buffer): void {
    this.sendMessage(audio, true);
  }

  private sendMessage(message: Buffer, binary: boolean): void {
    if (this.closed) return;
    this.socket.send(message, { binary });
    if (this.socket.bufferedAmount > MAX_WAITING_BYTES) this.fail('The send buffer of the connection is full.');
  }

  close(): void {
    this.shut(NORMAL);
  }

  private start(): void {
    const { socket } = this;
    socket.on('message', (data: RawData, binary) => this.receive(data, binary));
    socket.on('ping', () => (this.alive = true));
    socket.on('pong', () => (this.alive = true));
    // The close event follows, and has the reason.
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => this.lost(closing(code, reason)));
    this.ping();
    socket.resume();
  }

  private receive(data: RawData, binary: boolean): void {
    this.alive = true;
    if (this.closed) return;
    const message = textOf(data);
    if (!this.limiter.admits(message.length)) return this.fail('The server exceeded the receive limit.');
    const event = binary && !this.options.binary ? undefined : this.options.read(message);
    if (event) this.options.listener.event(event);
    else this.fail('The server sent an invalid event.', PROTOCOL_FAULT);
  }

  private ping(): void {
    this.cancelPing = this.options.clock.after(PING_MS, () => {
      if (!this.alive) return this.fail('The server stopped responding.');
      this.alive = false;
      this.socket.ping();
      this.ping();
    });
  }

  private fail(reason: string, code = NORMAL): void {
    if (this.closed) return;
    this.shut(code);
    this.options.listener.lost(reason);
  }

  private lost(reason: string): void {
    this.cancelPing();
    if (this.closed) return;
    this.closed = true;
    this.options.listener.lost(reason);
  }

  private shut(code: number): void {
    if (this.closed) return;
    this.closed = true;
    this.cancelPing();
    this.socket.close(code);
    const cancel = this.options.clock.after(CLOSING_MS, () => this.socket.terminate());
    this.socket.once('close', cancel);
  }
}

function connect<ServerEvent>({ endpoint }: SocketOptions<ServerEvent>): WebSocket {
  const { url, headers, lookup } = endpoint;
  return new WebSocket(url, {
    headers,
    ...(lookup ? { lookup } : {}),
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    // A key must not follow a redirect to another host.
    followRedirects: false,
  });
}

/** Rejects when the handshake fails; never resolves. */
function whyNotOpen<ServerEvent>(socket: WebSocket, { name, busyMs }: SocketOptions<ServerEvent>): Promise<never> {
  const refused = new Promise<never>((_, reject) => {
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      void httpError(name, response, busyMs).then(reject);
    });
    socket.once('error', (error) => reject(connectionError(name, error)));
  });
  refused.catch(() => undefined);
  return refused;
}

/** Text messages come as one Buffer (`binaryType` nodebuffer). */
const textOf = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString('utf8') : '');

const closing = (code: number, reason: Buffer): string =>
  reason.length > 0
    ? `The server closed the connection: ${reason.toString()} (${code}).`
    : `The connection was closed (${code}).`;

/** Five minutes of speech, the longest answer, in frames of 20 ms with its words: a server may send that at once. */
const MESSAGES = 30_000;
const BYTES = 32 * 1024 * 1024;
/** Speech is 50 frames and 11 KB a second. */
const MESSAGES_PER_MS = 0.2;
const BYTES_PER_MS = 256;

/**
 * Limits the data of a server over one connection to many times the need of a conversation. A faulty server would take CPU and memory
 * from all calls of the thread.
 */
export class ReceiveLimiter {
  private messages = MESSAGES;
  private bytes = BYTES;
  private at: number;

  constructor(private readonly clock: Clock) {
    this.at = clock.now();
  }

  /** Counts a message; returns false beyond the limit. */
  admits(bytes: number): boolean {
    const now = this.clock.now();
    const passedMs = now - this.at;
    this.at = now;
    this.messages = Math.min(MESSAGES, this.messages + passedMs * MESSAGES_PER_MS) - 1;
    this.bytes = Math.min(BYTES, this.bytes + passedMs * BYTES_PER_MS) - bytes;
    return this.messages >= 0 && this.bytes >= 0;
  }
}
