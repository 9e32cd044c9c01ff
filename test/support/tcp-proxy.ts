import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

interface Pair {
  sockets: readonly [Socket, Socket];
  /** Drops all data silently. */
  dead: boolean;
}

/** A TCP proxy that simulates a slow, stalled or broken network. */
export class TcpProxy {
  /** Latency in each direction. */
  latencyMs = 0;
  /** Cuts connections whose first bytes match. */
  refuses: (first: Buffer) => boolean = () => false;
  /** Drops matching data of clients, and silently all later data of their connection. */
  drops: (piece: Buffer) => boolean = () => false;
  private readonly pairs = new Set<Pair>();
  private passing: Promise<void> = Promise.resolve();
  private letPass: () => void = () => undefined;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (socket) => this.join(socket));
  }

  /** Starts a proxy in front of a port of 127.0.0.1. */
  static async before(target: number): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Delays all data and connections until `resume`. */
  stall(): void {
    this.passing = new Promise((resolve) => (this.letPass = resolve));
  }

  resume(): void {
    this.letPass();
  }

  /** Answers every connection with RST. */
  reset(): void {
    for (const { sockets } of this.pairs) for (const socket of sockets) socket.resetAndDestroy();
  }

  /** Silently drops the data of existing connections; new connections work: a host that vanished and its successor. */
  vanish(): void {
    for (const pair of this.pairs) pair.dead = true;
  }

  async close(): Promise<void> {
    this.resume();
    for (const { sockets } of this.pairs) for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket): void {
    const far = connect(this.target, '127.0.0.1');
    const pair: Pair = { sockets: [near, far], dead: false };
    this.pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.pairs.delete(pair);
        if (!pair.dead) to.destroy();
      });
      this.pass(pair, from, to);
    }
  }

  /** Keeps the order at any latency: each chunk waits from its arrival. */
  private pass(pair: Pair, from: Socket, to: Socket): void {
    let before = Promise.resolve();
    if (from === pair.sockets[0]) from.once('data', (first: Buffer) => this.refuses(first) && from.destroy());
    const passOn = async (after: Promise<void>, due: Promise<void> | undefined, piece: Buffer): Promise<void> => {
      await after;
      await due;
      await this.passing;
      if (!pair.dead && to.writable) to.write(piece);
    };
    from.on('data', (piece: Buffer) => {
      if (from === pair.sockets[0] && this.drops(piece)) pair.dead = true;
      before = passOn(before, this.latencyMs > 0 ? delay(this.latencyMs) : undefined, piece);
    });
    from.on('end', () => void before.then(() => (pair.dead ? undefined : to.end())));
  }
}
