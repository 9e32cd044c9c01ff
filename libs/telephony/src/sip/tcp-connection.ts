import type { Socket } from 'node:net';
import type { Flow, ReceiveBytes } from './flow.js';
import { StreamFramer } from './stream-framer.js';

const PING = Buffer.from('\r\n\r\n');
const PONG = Buffer.from('\r\n');

export interface ConnectionLimits {
  maxMessageBytes: number;
  /** No SIP message in either direction for that long: closed. */
  idleMs: number;
  /** How often a CRLF ping keeps NAT bindings open. */
  keepAliveMs: number;
}

/** One TCP connection, ours or theirs. What is sent before it stands is queued by the socket. */
export class TcpConnection implements Flow {
  readonly transport = 'tcp' as const;
  readonly reliable = true;
  closed = false;
  private readonly waiting = new Set<(error: Error) => void>();
  private lastUsed = Date.now();
  private failure?: Error;

  constructor(
    private readonly socket: Socket,
    readonly address: string,
    readonly port: number,
    readonly localAddress: string,
    limits: ConnectionLimits,
    receive: ReceiveBytes,
    onClosed: (connection: TcpConnection, error?: Error) => void,
  ) {
    socket.setNoDelay(true);
    const framer = new StreamFramer(
      limits.maxMessageBytes,
      (message) => {
        this.lastUsed = Date.now();
        receive(message, this);
      },
      () => socket.write(PONG),
    );
    const keepAlive = setInterval(() => this.keepAlive(limits.idleMs), limits.keepAliveMs);
    keepAlive.unref();
    socket.on('data', (chunk: Buffer) => this.read(framer, chunk));
    socket.on('error', (error) => (this.failure = error));
    socket.on('close', () => {
      clearInterval(keepAlive);
      this.closed = true;
      this.failWaiting(this.failure ?? new Error('the connection was closed'));
      onClosed(this, this.failure);
    });
  }

  send(data: Buffer, onError: (error: Error) => void): void {
    if (this.closed) return onError(this.failure ?? new Error('the connection is closed'));
    this.lastUsed = Date.now();
    this.waiting.add(onError);
    this.socket.write(data, (error) => {
      if (!error) this.waiting.delete(onError);
    });
  }

  toPort(): Flow {
    return this;
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
    if (Date.now() - this.lastUsed > idleMs) this.socket.end();
    else if (this.socket.readyState === 'open') this.socket.write(PING);
  }

  close(): void {
    this.socket.destroy();
  }
}
