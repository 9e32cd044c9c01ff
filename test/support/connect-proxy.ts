import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** An HTTP proxy for CONNECT on loopback. Resolves only the given names, like the proxy of an operator. */
export class ConnectProxy {
  /** `host:port` of every CONNECT, in order of arrival. */
  readonly connects: string[] = [];
  /** Number of plain requests to forward; expected to be zero. */
  plainRequests = 0;
  /** Authorization of the last CONNECT. */
  authorization: string | undefined;
  private readonly sockets = new Set<Duplex>();

  private constructor(
    private readonly server: Server,
    private readonly targets: ReadonlyMap<string, number>,
  ) {
    server.on('connect', (request: IncomingMessage, socket: Duplex) => this.tunnel(request, socket));
    server.on('request', (_request, response) => {
      this.plainRequests++;
      response.writeHead(403).end();
    });
  }

  /** @param targets `hooks.example.com:443` -> a loopback port; other targets are rejected with 403. */
  static async start(targets: Record<string, number>): Promise<ConnectProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ConnectProxy(server, new Map(Object.entries(targets)));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private tunnel({ url = '', headers }: IncomingMessage, client: Duplex): void {
    this.connects.push(url);
    this.authorization = headers['proxy-authorization'];
    const port = this.targets.get(url);
    if (port === undefined) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const target: Socket = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    for (const [one, other] of [[client, target] as const, [target, client] as const]) {
      this.sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => this.sockets.delete(one) && other.destroy());
    }
  }
}
