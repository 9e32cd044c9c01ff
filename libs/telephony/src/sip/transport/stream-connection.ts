import type { Socket } from 'node:net';
import type { Flow, ReceiveBytes, Target } from './flow.js';

const PING = Buffer.from('\r\n\r\n');
const PONG = Buffer.from('\r\n');
/** With this much unsent data the peer does not read our responses. */
const MAX_UNSENT_BYTES = 1_048_576;

export interface ConnectionLimits {
  maxMessageBytes: number;
  /** A connection without a dialog is closed after this time without SIP messages in either direction. */
  idleMs: number;
  /** The interval of CRLF pings that keep NAT bindings open. */
  keepAliveMs: number;
  /** Connections opened by peers at the same time. */
  maxAccepted: number;
}

/** The remote party closed the connection without an error. */
export class ConnectionLost extends Error {
  constructor() {
    super('the connection was closed');
    this.name = 'ConnectionLost';
  }
}

/** The peer sends without reading: the send buffer is full. */
class SendBufferFull extends Error {
  constructor() {
    super('the peer does not read');
    this.name = 'SendBufferFull';
  }
}

/** The addresses of both ends of a connection. */
export interface ConnectionEnds extends Target {
  localAddress: string;
  localPort: number;
  /** See Flow. */
  verifiedNames?: readonly string[];
}

/** One TCP or TLS connection, outgoing or accepted. The socket queues messages until it is connected. */
export class StreamConnection implements Flow {
  readonly transport;
  readonly address: string;
  readonly port: number;
  readonly localAddress: string;
  readonly localPort: number;
  readonly tls?: Target['tls'];
  readonly verifiedNames?: readonly string[];
  readonly reliable = true;
  private readonly waiting = new Set<(error: Error) => void>();
  private lastUsed = performance.now();
  private failure?: Error;
  private holds = 0;

  constructor(
    private readonly socket: Socket,
    ends: ConnectionEnds,
    private readonly limits: ConnectionLimits,
    private readonly receive: ReceiveBytes,
    private readonly onClosed: (connection: StreamConnection, error: Error) => void,
  ) {
    this.transport = ends.transport;
    this.address = ends.address;
    this.port = ends.port;
    this.localAddress = ends.localAddress;
    this.localPort = ends.localPort;
    this.tls = ends.tls;
    this.verifiedNames = ends.verifiedNames;
  }

  /** Reads from the socket and keeps its NAT binding open. */
  start(): void {
    const { socket, limits } = this;
    socket.setNoDelay(true);
    const framer = new StreamFramer(
      limits.maxMessageBytes,
      (message) => {
        this.lastUsed = performance.now();
        this.receive(message, this);
      },
      () => this.write(PONG),
    );
    const keepAlive = setInterval(() => this.keepAlive(limits.idleMs), limits.keepAliveMs);
    keepAlive.unref();
    socket.on('data', (chunk: Buffer) => this.read(framer, chunk));
    socket.on('error', (error) => (this.failure = error));
    socket.on('close', () => {
      clearInterval(keepAlive);
      const error = this.failure ?? new ConnectionLost();
      this.failWaiting(error);
      this.onClosed(this, error);
    });
  }

  /** Time of the last message; undefined while it carries a dialog. */
  get quietSince(): number | undefined {
    return this.holds > 0 ? undefined : this.lastUsed;
  }

  /** Also true when one side has half-closed the connection. */
  get closed(): boolean {
    return !this.socket.writable;
  }

  send(data: Buffer, onError: (error: Error) => void): void {
    if (this.closed) return onError(this.failure ?? new ConnectionLost());
    this.lastUsed = performance.now();
    this.waiting.add(onError);
    this.write(data, (error) => {
      if (!error) this.waiting.delete(onError);
    });
  }

  toPort(): Flow {
    return this;
  }

  hold(): void {
    this.holds++;
  }

  release(): void {
    this.holds--;
    this.lastUsed = performance.now();
  }

  private write(data: Buffer, written?: (error?: Error | null) => void): void {
    this.socket.write(data, written);
    if (this.socket.writableLength > MAX_UNSENT_BYTES) this.socket.destroy(new SendBufferFull());
  }

  private failWaiting(error: Error): void {
    const failed = [...this.waiting];
    this.waiting.clear();
    for (const onError of failed) onError(error);
  }

  private read(framer: StreamFramer, chunk: Buffer): void {
    try {
      framer.push(chunk);
    } catch (error) {
      this.socket.destroy(error as Error);
    }
  }

  private keepAlive(idleMs: number): void {
    if (this.holds === 0 && performance.now() - this.lastUsed > idleMs) this.closeIdle();
    else if (this.socket.readyState === 'open') this.write(PING);
  }

  /** Does not wait for a peer that keeps its side open or does not read. */
  private closeIdle(): void {
    if (this.socket.writable) this.socket.destroySoon();
    else this.socket.destroy();
  }

  close(): void {
    this.socket.destroy();
  }
}

const CR = 0x0d;
const LF = 0x0a;
const CONTENT_LENGTH = /^(?:content-length|l)[ \t]*:[ \t]*(\d{1,9})[ \t]*\r?$/im;

/** The stream cannot be resynchronised: the connection is closed (RFC 3261 §18.3). */
export class FramingError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'FramingError';
  }
}

/** Splits a byte stream into SIP messages by Content-Length and separates keep-alives (RFC 5626 §3.5.1). */
export class StreamFramer {
  private pending: Buffer = Buffer.alloc(0);
  private searchFrom = 0;
  private wanted = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly onMessage: (message: Buffer) => void,
    private readonly onPing: () => void,
  ) {}

  /** @throws FramingError */
  push(chunk: Buffer): void {
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    while (this.step());
    if (this.pending.length > this.maxBytes) throw new FramingError('message is too long');
  }

  /** True when the front was consumed. */
  private step(): boolean {
    if (this.wanted === 0 && this.skipLineBreaks()) return true;
    if (this.wanted === 0 && !this.findEnd()) return false;
    if (this.pending.length < this.wanted) return false;
    const message = this.take(this.wanted);
    this.wanted = 0;
    this.onMessage(message);
    return true;
  }

  private skipLineBreaks(): boolean {
    const { pending } = this;
    if (pending[0] !== CR && pending[0] !== LF) return false;
    if (pending.length >= 4 && pending.readUInt32BE(0) === 0x0d0a0d0a) {
      this.take(4);
      this.onPing();
      return true;
    }
    // "\r\n\r" may be the start of a ping: wait for its last byte.
    if (pending.length < 4 && pending.equals(Buffer.from('\r\n\r\n').subarray(0, pending.length))) return false;
    this.take(pending[0] === CR && pending[1] === LF ? 2 : 1);
    return true;
  }

  private findEnd(): boolean {
    const end = this.pending.indexOf('\r\n\r\n', this.searchFrom);
    if (end < 0) {
      this.searchFrom = Math.max(0, this.pending.length - 3);
      return false;
    }
    const length = CONTENT_LENGTH.exec(this.pending.toString('latin1', 0, end))?.[1];
    // Mandatory on streams (RFC 3261 §20.14); without it the next message cannot be found.
    if (length === undefined) throw new FramingError('no content-length on a stream');
    this.wanted = end + 4 + Number(length);
    if (this.wanted > this.maxBytes) throw new FramingError('message is too long');
    return true;
  }

  private take(bytes: number): Buffer {
    const taken = this.pending.subarray(0, bytes);
    this.pending = this.pending.subarray(bytes);
    this.searchFrom = 0;
    return taken;
  }
}
