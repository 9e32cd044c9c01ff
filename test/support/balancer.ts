import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Distributes requests over several loopback ports, as a Kubernetes service does, without retries. */
export class Balancer {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly tunnels = new Set<Duplex>();
  private ports: number[] = [];
  private turn = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Balancer> {
    const server = createServer();
    const balancer = new Balancer(server);
    server.on('request', (incoming, outgoing) => balancer.pass(incoming, outgoing));
    server.on('upgrade', (incoming: IncomingMessage, client, head) => balancer.tunnel(incoming, client, head));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  add(port: number): void {
    this.ports.push(port);
  }

  /** Sends no further requests to the port, as at the start of a pod's termination. */
  remove(port: number): void {
    this.ports = this.ports.filter((one) => one !== port);
  }

  async close(): Promise<void> {
    this.agent.destroy();
    for (const client of this.tunnels) client.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** A WebSocket. */
  private tunnel({ method, url, rawHeaders }: IncomingMessage, client: Duplex, head: Buffer): void {
    const port = this.ports[this.turn++ % this.ports.length];
    if (port === undefined) return void client.destroy();
    const onward = connect(port, '127.0.0.1');
    const headers = rawHeaders.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    onward.write(`${method} ${url} HTTP/1.1\r\n${headers}\r\n`);
    onward.write(head);
    onward.pipe(client).pipe(onward);
    for (const [one, other] of [
      [onward, client],
      [client, onward],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    this.tunnels.add(client);
    client.on('close', () => this.tunnels.delete(client));
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const port = this.ports[this.turn++ % this.ports.length];
    const { method, url: path, headers } = incoming;
    const onward = request({ agent: this.agent, host: '127.0.0.1', port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.headersSent || outgoing.writeHead(502).end());
    incoming.pipe(onward);
  }
}
