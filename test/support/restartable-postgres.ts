import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../apps/cli/src/postgres/embedded-postgres.js';
import { migrateWithBuild } from './built-command.js';
import type { TestDatabase } from './database.js';

/** A PostgreSQL of the test's own that can be stopped and started again; its address stays the same (a forwarder stands before it). */
export class RestartablePostgres implements TestDatabase {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly home: string,
    private readonly front: Server,
    private server: EmbeddedPostgres,
    private readonly durable: boolean,
  ) {}

  /** `durable`: what was committed outlives a crash, as in production. `folder`: where its data is; it is removed in the end. */
  static async start({
    durable = false,
    folder,
  }: { durable?: boolean; folder?: string } = {}): Promise<RestartablePostgres> {
    const home = folder ?? mkdtempSync(join(tmpdir(), 'trunkline-restart-'));
    // Started by root, PostgreSQL runs as another user, which must be able to enter the directory.
    chmodSync(home, 0o711);
    const front = createServer().listen(0, '127.0.0.1');
    await once(front, 'listening');
    const made = new RestartablePostgres(home, front, await startEmbeddedPostgres({ home, durable }), durable);
    front.on('connection', (socket) => made.forward(socket));
    await migrateWithBuild(made.url);
    return made;
  }

  get url(): string {
    const url = new URL(this.server.url);
    url.port = String((this.front.address() as AddressInfo).port);
    return url.href;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  /** Immediate shutdown: no checkpoint, nobody is told; the next start recovers from the write-ahead log. */
  async crash(): Promise<void> {
    process.kill(this.server.pid, 'SIGQUIT');
    await this.server.ended;
  }

  async startAgain(): Promise<void> {
    this.server = await startEmbeddedPostgres({ home: this.home, durable: this.durable });
  }

  /** Whether the server is running; it ends by itself when it cannot write any more. */
  get ended(): Promise<void> {
    return this.server.ended;
  }

  async drop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.front.close();
    await this.server.stop();
    await rm(this.home, { recursive: true, force: true });
  }

  private forward(socket: Socket): void {
    const behind = connect(Number(new URL(this.server.url).port), '127.0.0.1');
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
