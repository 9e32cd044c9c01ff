import { type BackendFactory, PostgresConnection, PostgresQueueBackend } from 'bullmq';
import type { Client } from 'pg';
import { useDatabaseClock } from './database-clock.js';

type ConnectionOptions = ConstructorParameters<typeof PostgresConnection>[0];
type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

/** The pool and the listening connection that all queues and workers of a process use, until the last of them is closed. */
class SharedConnection extends PostgresConnection {
  private users = 0;
  private listening: ListenClient | undefined;

  constructor(options: ConnectionOptions) {
    super(options);
    // Each queue and each worker adds listeners.
    this.setMaxListeners(0);
    useDatabaseClock(this.pool);
  }

  override async getListenClient(): Promise<ListenClient> {
    const client = await super.getListenClient();
    if (client !== this.listening) {
      this.listening = client;
      (client as unknown as Client).setMaxListeners(0);
      queryInTurn(client);
    }
    return client;
  }

  enter(): void {
    this.users++;
  }

  async leave(): Promise<void> {
    this.users--;
    if (this.users === 0) await this.close();
  }
}

/** Each worker subscribes for itself; a client of node-postgres is not to be given a statement while it executes another. */
function queryInTurn(client: ListenClient): void {
  const query = client.query.bind(client);
  let last: Promise<unknown> = Promise.resolve();
  client.query = (...statement: Parameters<typeof query>) => {
    const next = last.then(() => query(...statement));
    last = next.catch(() => undefined);
    return next;
  };
}

/** BullMQ gives each queue and each worker a pool and a connection of its own; a dozen queues would need fifty. */
export class SharedBackend extends PostgresQueueBackend {
  constructor(
    private readonly shared: SharedConnection,
    ...[queue, options]: Parameters<BackendFactory>
  ) {
    super(shared, queue, options as ConstructorParameters<typeof PostgresQueueBackend>[2]);
    shared.enter();
  }

  override async close(): Promise<void> {
    this.closing ??= this.disconnectBlocking().then(() => this.shared.leave());
    await this.closing;
  }

  /** Runs a statement on the tables of BullMQ. */
  async rows<T>(text: string, values: readonly unknown[]): Promise<T[]> {
    await this.waitUntilReady();
    return (await this.shared.pool.query<T>(text, values)).rows;
  }

  override disconnect(): Promise<void> {
    return this.close();
  }
}

/** Backends with the same connection options share their connections. */
export function sharedPostgresBackends(): BackendFactory {
  const connections = new WeakMap<object, SharedConnection>();
  return (queue, options) => {
    // Typed for Redis; on PostgreSQL it is the configuration of a pool.
    const key = options.connection as unknown as ConnectionOptions & object;
    let shared = connections.get(key);
    if (!shared || shared.isClosing) {
      shared = new SharedConnection(key);
      connections.set(key, shared);
    }
    return new SharedBackend(shared, queue, options);
  };
}
