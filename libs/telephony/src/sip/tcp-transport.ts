import { connect, createServer, isIPv6, type AddressInfo, type Server, type Socket } from 'node:net';
import { isWildcard, type Flow, type ReceiveBytes } from './flow.js';
import { TcpConnection, type ConnectionLimits } from './tcp-connection.js';

const LIMITS: ConnectionLimits = { maxMessageBytes: 65_536, idleMs: 600_000, keepAliveMs: 30_000 };
const MAX_CONNECTIONS = 2_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** Listens, and keeps one connection for each far end it talks to (RFC 3261 §18). */
export class TcpTransport {
  private readonly connections = new Map<string, TcpConnection>();
  readonly port: number;
  private closed = false;

  private constructor(
    private readonly server: Server,
    private readonly bind: string,
    private readonly localAddress: string,
    private readonly receive: ReceiveBytes,
    private readonly onError: (error: Error) => void,
    private readonly limits: ConnectionLimits,
  ) {
    this.port = (server.address() as AddressInfo).port;
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (socket) => this.accept(socket));
    server.on('error', onError);
  }

  /** @throws the listen error of the server, such as EADDRINUSE */
  static async listen(
    o: { bind: string; port: number; localAddress: string; limits?: Partial<ConnectionLimits> },
    receive: ReceiveBytes,
    onError: (error: Error) => void,
  ): Promise<TcpTransport> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(o.port, o.bind, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return new TcpTransport(server, o.bind, o.localAddress, receive, onError, { ...LIMITS, ...o.limits });
  }

  /**
   * The connection that stands, or a new one; a refusal comes back through the error callback of `send`.
   * @throws when the transport is closed
   */
  flow(address: string, port: number, localAddress = this.localAddress): Flow {
    if (this.closed) throw new Error('the TCP transport is closed');
    const standing = this.connections.get(key(address, port));
    if (standing && !standing.closed) return standing;
    const source = isWildcard(this.bind) ? undefined : this.bind;
    const socket = connect({ host: address, port, family: isIPv6(address) ? 6 : 4, localAddress: source });
    const timeout = setTimeout(() => socket.destroy(new Error('no TCP connection in time')), CONNECT_TIMEOUT_MS);
    timeout.unref();
    socket.once('connect', () => clearTimeout(timeout)).once('close', () => clearTimeout(timeout));
    return this.keep(socket, address, port, localAddress);
  }

  private accept(socket: Socket): void {
    if (!socket.remoteAddress || !socket.remotePort || this.closed) socket.destroy();
    else this.keep(socket, socket.remoteAddress, socket.remotePort, this.localAddress || (socket.localAddress ?? ''));
  }

  private keep(socket: Socket, address: string, port: number, localAddress: string): TcpConnection {
    const id = key(address, port);
    const connection = new TcpConnection(
      socket,
      address,
      port,
      localAddress,
      this.limits,
      this.receive,
      (closed, error) => {
        if (this.connections.get(id) === closed) this.connections.delete(id);
        if (error) this.onError(error);
      },
    );
    this.connections.set(id, connection);
    return connection;
  }

  close(): Promise<void> {
    this.closed = true;
    const stopped = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const connection of this.connections.values()) connection.close();
    return stopped;
  }
}

function key(address: string, port: number): string {
  return `${address} ${port}`;
}
