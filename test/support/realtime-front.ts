import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

interface Target {
  port: number;
  /** Of the sandbox server. */
  faults: object[];
}

/** One address for several Realtime servers, chosen by the model of the request; models without a server get a 401. */
export class RealtimeFront {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly http: Server,
    private readonly targets: Record<string, Target>,
  ) {
    http.on('upgrade', (request: IncomingMessage, socket: Socket) => this.forward(request, socket));
  }

  static async start(targets: Record<string, Target>): Promise<RealtimeFront> {
    const http = createServer((_, response) => response.writeHead(426).end());
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    return new RealtimeFront(http, targets);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.http.address() as AddressInfo).port}/v1/realtime`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.http.close();
    await once(this.http, 'close');
  }

  private forward(request: IncomingMessage, socket: Socket): void {
    const url = new URL(request.url ?? '/', this.url);
    const target = this.targets[url.searchParams.get('model') ?? ''];
    if (!target) return refuse(request, socket);
    if (target.faults.length > 0) url.searchParams.set('faults', JSON.stringify(target.faults));
    const onward = connect(target.port, '127.0.0.1');
    const lines = [`GET ${url.pathname}${url.search} HTTP/1.1`];
    for (let at = 0; at < request.rawHeaders.length; at += 2)
      lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
    onward.write(`${lines.join('\r\n')}\r\n\r\n`);
    socket.pipe(onward).pipe(socket);
    for (const one of [socket, onward]) {
      this.sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => this.sockets.delete(one));
    }
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
  }
}

/** As OpenAI does: its message repeats the key. */
function refuse({ headers }: IncomingMessage, socket: Socket): void {
  const key = (headers.authorization ?? '').replace('Bearer ', '');
  const body = JSON.stringify({
    error: { type: 'invalid_request_error', message: `Incorrect API key provided: ${key}.` },
  });
  const head = `HTTP/1.1 401 Unauthorized\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
}
