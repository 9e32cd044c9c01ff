import { Encryption, type Log } from '@app/common';
import { Database } from '@app/database';
import {
  BREAKER_LIMITS,
  type BreakerLimits,
  type DispatchSettings,
  type RetrySchedule,
  WebhookDispatcherService,
  WebhookDispatchModule,
  WebhooksModule,
} from '@app/webhooks';
import { jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Pool } from 'pg';
import { cutConnections } from './cut-connections.js';
import { createTestDatabase } from './database.js';
import { LogLines } from './log-lines.js';
import { openServices } from './services.js';
import { WebhookAccount } from './webhook-account.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** The production schedule in milliseconds instead of minutes. */
const QUICK: RetrySchedule = {
  fastMs: [0, 10, 20, 30, 40],
  slowMs: [50, 50, 50, 50, 50, 50, 50, 50],
  jitter: 0,
  fastLimitMs: 200,
  slowLimitMs: 400,
};

/** Opens like the real one, but probes soon. */
const QUICK_BREAKER: BreakerLimits = { ...BREAKER_LIMITS, firstOpenMs: 20, longestOpenMs: 80, spreadMs: 6 };

/** The application name of every connection of the service. */
const APPLICATION = 'trunkline';

interface WorkerOptions extends Partial<DispatchSettings> {
  /** In place of the scheduler of the queue: the interval at which the dispatcher looks for due deliveries. */
  sweepMs?: number;
}

/** A running dispatcher with short times that may send to loopback: `services.get(WebhookDispatcherService)`. */
export async function openDispatcher(
  databaseUrl: string,
  { sweepMs = 10, ...settings }: WorkerOptions,
  log: Log,
): Promise<INestApplicationContext> {
  const variables = { DATABASE_URL: databaseUrl, EGRESS_ALLOW_CIDRS: '127.0.0.0/8' };
  const short = { schedule: QUICK, breaker: QUICK_BREAKER };
  const services = await openServices(variables, [WebhookDispatchModule.forRoot({ ...short, ...settings })], { log });
  const dispatcher = services.get(WebhookDispatcherService);
  dispatcher.wake();
  // Without effect once the dispatcher is stopped.
  setInterval(() => dispatcher.wake(), sweepMs).unref();
  return services;
}

/** The environment of webhook tests: a database, accounts, receivers and dispatchers. `close` ends all of them. */
export class WebhookEnvironment {
  readonly logs = new LogLines();
  private readonly closing: (() => Promise<unknown>)[] = [];

  private constructor(
    /** Services of the WebhooksModule. */
    readonly services: INestApplicationContext,
    readonly databaseUrl: string,
  ) {}

  static async open(): Promise<WebhookEnvironment> {
    const database = await createTestDatabase();
    const services = await openServices({ DATABASE_URL: database.url }, [WebhooksModule]);
    const environment = new WebhookEnvironment(services, database.url);
    environment.closing.push(() => database.drop());
    environment.closing.push(() => services.close());
    return environment;
  }

  get pool(): Pool {
    return this.services.get(Database).pool;
  }

  get encryption(): Encryption {
    return this.services.get(Encryption);
  }

  account(): Promise<WebhookAccount> {
    return WebhookAccount.create(this.pool, this.encryption);
  }

  async sink(): Promise<WebhookReceiver> {
    const sink = await WebhookReceiver.start();
    this.closing.push(() => sink.close());
    return sink;
  }

  /** Starts a dispatcher. @returns its services */
  async worker(options: WorkerOptions = {}): Promise<INestApplicationContext> {
    const services = await openDispatcher(this.databaseUrl, options, this.logs.log);
    this.closing.push(() => services.close());
    return services;
  }

  /** A running dispatcher that may send to loopback. */
  async dispatcher(options: WorkerOptions = {}): Promise<WebhookDispatcherService> {
    return (await this.worker(options)).get(WebhookDispatcherService);
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

  /** Ends all connections of the service, like a restart of the server. */
  cutConnections(): Promise<void> {
    return cutConnections(this.databaseUrl, APPLICATION);
  }

  async close(): Promise<void> {
    for (const close of this.closing.reverse()) await close();
  }
}

/** Calls `listener` after every statement that stores outcomes; its error replaces the result of the statement. */
export function afterStoredOutcomes(services: INestApplicationContext, listener: () => void): void {
  const database = services.get(Database);
  const rows = database.rows.bind(database);
  jest.spyOn(database, 'rows').mockImplementation(async (statement, ...rest) => {
    const found = await rows(statement, ...rest);
    if (statement.name === 'settle-webhook-attempts') listener();
    return found;
  });
}
