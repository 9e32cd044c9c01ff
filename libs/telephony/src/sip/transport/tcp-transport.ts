import { type AddressInfo, connect, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { type ConnectionClosed, Connections, limitConnecting, listen, MAX_SOCKETS, remoteKey } from './connections.js';
import { type Flow, isWildcard, type ReceiveBytes } from './flow.js';
import type { ConnectionLimits } from './stream-connection.js';

export interface TcpOptions {
  bind: string;
  port: number;
  /** The address announced to that peer; the empty string when it depends on the route. */
  announcedTo: (remote: string) => string;
  limits?: Partial<ConnectionLimits>;
}

/** SIP over TCP: listens, and keeps one connection per peer. */
export class TcpTransport {
  readonly port: number;
  private readonly connections: Connections;
  private closed = false;

  private constructor(
    private readonly server: Server,
    private readonly options: TcpOptions,
    receive: ReceiveBytes,
    onClosed: ConnectionClosed,
    onError: (error: Error) => void,
  ) {
    this.port = (server.address() as AddressInfo).port;
    this.connections = new Connections(options.limits, receive, onClosed);
    server.maxConnections = MAX_SOCKETS;
    server.on('connection', (socket) => this.accept(socket));
    server.on('error', onError);
  }

  /** @throws the listen error of the server, such as EADDRINUSE */
  static async listen(
    options: TcpOptions,
    receive: ReceiveBytes,
    onClosed: ConnectionClosed,
    onError: (error: Error) => void,
  ): Promise<TcpTransport> {
    const server = createServer();
    await listen(server, options.port, options.bind);
    return new TcpTransport(server, options, receive, onClosed, onError);
  }

  /**
   * The open connection or a new one; a refusal is reported by the error callback of `send`.
   * @throws when the transport is closed
   */
  flow(address: string, port: number, localAddress: string, timeoutMs?: number): Flow {
    if (this.closed) throw new Error('the TCP transport is closed');
    const key = remoteKey(address, port);
    const standing = this.connections.get(key);
    if (standing) return standing;
    const source = isWildcard(this.options.bind) ? undefined : this.options.bind;
    const socket = connect({ host: address, port, family: isIPv6(address) ? 6 : 4, localAddress: source });
    limitConnecting(socket, 'connect', timeoutMs);
    return this.connections.keep(key, socket, { transport: 'tcp', address, port, localAddress, localPort: this.port });
  }

  private accept(socket: Socket): void {
    if (this.closed) return void socket.destroy();
    this.connections.accept(socket, 'tcp', this.port, this.options.announcedTo);
  }

  close(): Promise<void> {
    this.closed = true;
    const stopped = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.connections.close();
    return stopped;
  }
}
