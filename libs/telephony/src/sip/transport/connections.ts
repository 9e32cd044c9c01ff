import { createHash } from 'node:crypto';
import type { Server, Socket } from 'node:net';
import { withoutPrefix } from '../../ip-address.js';
import type { Flow, ReceiveBytes, Target, TransportName } from './flow.js';
import { type ConnectionEnds, type ConnectionLimits, StreamConnection } from './stream-connection.js';

const LIMITS: ConnectionLimits = {
  maxMessageBytes: 65_536,
  idleMs: 600_000,
  keepAliveMs: 30_000,
  maxAccepted: 2_000,
};
/** Per listener: accepted connections, and as many in their TLS handshake. Further ones wait in the kernel's queue. */
export const MAX_SOCKETS = 4_000;
/** For TCP including the TLS handshake. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** A connection has closed. `error` is the reason, ConnectionLost for a regular close. */
export type ConnectionClosed = (flow: Flow, error: Error) => void;

/** The open connections of one transport, one per peer (RFC 3261 §18). */
export class Connections {
  private readonly byRemote = new Map<string, StreamConnection>();
  /** Including connections that a later one of the same peer has replaced. */
  private readonly open = new Set<StreamConnection>();
  /** In the order of their arrival. */
  private readonly accepted = new Set<StreamConnection>();
  private readonly limits: ConnectionLimits;

  constructor(
    limits: Partial<ConnectionLimits> | undefined,
    private readonly receive: ReceiveBytes,
    private readonly onClosed: ConnectionClosed,
  ) {
    this.limits = { ...LIMITS, ...limits };
  }

  get(key: string): StreamConnection | undefined {
    const found = this.byRemote.get(key);
    return found?.closed ? undefined : found;
  }

  keep(key: string, socket: Socket, ends: ConnectionEnds): StreamConnection {
    const connection = new StreamConnection(socket, ends, this.limits, this.receive, (closed, error) => {
      if (this.byRemote.get(key) === closed) this.byRemote.delete(key);
      this.open.delete(closed);
      this.accepted.delete(closed);
      this.onClosed(closed, error);
    });
    this.byRemote.set(key, connection);
    this.open.add(connection);
    connection.start();
    return connection;
  }

  /**
   * Accepts a connection. When there are too many, the longest idle one without a call is closed; if all carry calls, the new one is
   * closed.
   */
  accept(
    socket: Socket,
    transport: TransportName,
    localPort: number,
    announcedTo: (remote: string) => string,
    verifiedNames?: readonly string[],
  ): void {
    const { remoteAddress, remotePort: port } = socket;
    const full = this.accepted.size >= this.limits.maxAccepted;
    if (!remoteAddress || !port || (full && !this.makeRoom())) return void socket.destroy();
    const address = withoutPrefix(remoteAddress);
    const localAddress = announcedTo(address) || withoutPrefix(socket.localAddress ?? '');
    const ends = { transport, address, port, localAddress, localPort, verifiedNames };
    this.accepted.add(this.keep(remoteKey(address, port), socket, ends));
  }

  private makeRoom(): boolean {
    let quietest: StreamConnection | undefined;
    for (const one of this.accepted)
      if ((one.quietSince ?? Infinity) < (quietest?.quietSince ?? Infinity)) quietest = one;
    if (!quietest) return false;
    this.accepted.delete(quietest);
    quietest.close();
    return true;
  }

  close(): void {
    for (const connection of this.open) connection.close();
  }
}

/** The key of a connection: its peer. */
export function remoteKey(address: string, port: number): string {
  return `${address} ${port}`;
}

/** Connections are shared only for the same server name, authorities and client certificate. */
export function targetKey({ address, port, tls = { serverName: address } }: Target): string {
  const { serverName, ca, cert, key } = tls;
  const settings = createHash('sha256')
    .update(JSON.stringify([ca, cert, key]))
    .digest('base64');
  return `${remoteKey(address, port)} ${serverName.toLowerCase()} ${settings}`;
}

/** Destroys a socket that does not connect in time. */
export function limitConnecting(socket: Socket, connected: 'connect' | 'secureConnect', ms = CONNECT_TIMEOUT_MS): void {
  const timeout = setTimeout(() => socket.destroy(new ConnectTimeout()), ms);
  timeout.unref();
  socket.once(connected, () => clearTimeout(timeout)).once('close', () => clearTimeout(timeout));
}

/** Neither accepted nor refused: usually a firewall drops the packets. */
export class ConnectTimeout extends Error {
  constructor() {
    super('the connection timed out');
    this.name = 'ConnectTimeout';
  }
}

/** @throws the listen error of the server, such as EADDRINUSE */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
