import { Encryption } from '@app/common';
import { Egress } from '@app/egress';
import {
  BREAKER_LIMITS,
  WebhookDispatcher,
  type BreakerLimits,
  type DispatcherOptions,
  type RetrySchedule,
} from '@app/webhooks';
import { Pool } from 'pg';
import { cutConnections } from './cut-connections.js';
import { createTestDatabase } from './database.js';
import { LogLines } from './log-lines.js';
import { WebhookAccount } from './webhook-account.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** The real order of lanes and tries, in milliseconds instead of minutes. */
export const QUICK: RetrySchedule = {
  fastMs: [0, 10, 20, 30, 40],
  slowMs: [50, 50, 50, 50, 50, 50, 50, 50],
  jitter: 0,
  fastLimitMs: 200,
  slowLimitMs: 400,
};

/** Opens as the real one does, and tries again soon. */
export const QUICK_BREAKER: BreakerLimits = { ...BREAKER_LIMITS, firstOpenMs: 20, longestOpenMs: 80, spreadMs: 6 };

export const WEBHOOK_HOUSE_KEY = 'test-key-'.repeat(4);
const POOL_NAME = 'webhook-house';

/** What tests of webhooks live in: a database, an account, sinks, dispatchers. `close` ends all of it. */
export class WebhookHouse {
  /** Errors of idle connections; the pool replaces them. */
  readonly lostConnections: Error[] = [];
  readonly encryption = new Encryption(WEBHOOK_HOUSE_KEY);
  readonly logs = new LogLines();
  private readonly closing: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly pool: Pool,
    readonly databaseUrl: string,
  ) {}

  static async open(): Promise<WebhookHouse> {
    const database = await createTestDatabase();
    const pool = new Pool({ connectionString: database.url, max: 12, application_name: POOL_NAME });
    const house = new WebhookHouse(pool, database.url);
    pool.on('error', (error) => house.lostConnections.push(error));
    house.closing.push(() => database.drop());
    house.closing.push(() => pool.end());
    return house;
  }

  account(): Promise<WebhookAccount> {
    return WebhookAccount.create(this.pool, this.encryption);
  }

  async sink(): Promise<WebhookReceiver> {
    const sink = await WebhookReceiver.start();
    this.closing.push(() => sink.close());
    return sink;
  }

  /** A started dispatcher that may reach loopback. */
  dispatcher(options: Partial<DispatcherOptions> & { allowCidrs?: string[] } = {}): WebhookDispatcher {
    const egress = new Egress({ allowCidrs: options.allowCidrs ?? ['127.0.0.0/8'], httpsOnly: false });
    const dispatcher = new WebhookDispatcher({
      pool: this.pool,
      encryption: this.encryption,
      egress,
      log: this.logs.log,
      owner: `test-${this.closing.length}`,
      agent: 'Trunkline/test',
      sweepMs: 10,
      schedule: QUICK,
      breaker: QUICK_BREAKER,
      ...options,
    });
    dispatcher.start();
    this.closing.push(() => egress.close());
    this.closing.push(() => dispatcher.stop());
    return dispatcher;
  }

  async delivery(id: string): Promise<Record<string, unknown>> {
    const { rows } = await this.pool.query<Record<string, unknown>>('SELECT * FROM webhook_deliveries WHERE id = $1', [
      id,
    ]);
    return rows[0] ?? {};
  }

  async attempts(id: string): Promise<Record<string, unknown>[]> {
    const found = await this.pool.query<Record<string, unknown>>(
      'SELECT * FROM webhook_attempts WHERE delivery_id = $1 ORDER BY attempt',
      [id],
    );
    return found.rows;
  }

  /** Ends every connection of the pool, as a restart of the server does. */
  cutConnections(): Promise<void> {
    return cutConnections(this.databaseUrl, POOL_NAME);
  }

  async close(): Promise<void> {
    for (const close of this.closing.reverse()) await close();
  }
}
