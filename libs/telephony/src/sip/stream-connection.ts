import type { Socket } from 'node:net';
import type { Flow, ReceiveBytes, Target } from './flow.js';
import { StreamFramer } from './stream-framer.js';

const PING = Buffer.from('\r\n\r\n');
const PONG = Buffer.from('\r\n');
/** With this much unsent data the far end does not read our responses. */
const MAX_UNSENT_BYTES = 1_048_576;

export interface ConnectionLimits {
  maxMessageBytes: number;
  /** No SIP message in either direction for that long, and no dialog on it: closed. */
  idleMs: number;
  /** How often a CRLF ping keeps NAT bindings open. */
  keepAliveMs: number;
  /** Opened by far ends, at once. */
  maxAccepted: number;
}

/** The far end closed the connection without an error. */
export class ConnectionLost extends Error {
  constructor() {
    super('the connection was closed');
    this.name = 'ConnectionLost';
  }
}

/** The remote party sends without reading: the send buffer is full. */
class SendBufferFull extends Error {
  constructor() {
    super('the far end does not read');
    this.name = 'SendBufferFull';
  }
}

/** The two ends of a connection. */
export interface ConnectionEnds extends Target {
  localAddress: string;
  localPort: number;
}

/** One TCP or TLS connection, ours or theirs. The socket queues messages until it is connected. */
export class StreamConnection implements Flow {
  readonly transport;
  readonly address: string;
  readonly port: number;
  readonly localAddress: string;
  readonly localPort: number;
  readonly tls?: Target['tls'];
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

  /** Also when one side has half-closed it. */
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

  /** Does not wait for a far end that keeps its side open or does not read. */
  private closeIdle(): void {
    if (this.socket.writable) this.socket.destroySoon();
    else this.socket.destroy();
  }

  close(): void {
    this.socket.destroy();
  }
}
