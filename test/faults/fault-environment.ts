import { Pool } from 'pg';
import { eventually } from '../support/eventually.js';
import { type Role, Stack, type StackOptions, type StackProcess } from '../support/stack.js';
import type { TestAccount } from '../support/workspace.js';
import { ApiLoad, type ApiLoadOptions } from './api-load.js';
import { judge, type Committed } from './checker.js';
import { applyAccounts, EventWriter, type FaultAccounts, withToken } from './fault-accounts.js';
import { FaultSink } from './fault-sink.js';
import { Load } from './load.js';
import type { Findings } from './row.js';

export interface FaultEnvironmentOptions extends StackOptions {
  /** Direct URL of the database for this process while the service connects through a failing proxy. */
  directUrl?: string;
}

/** Limit after the last fault: a lease (30 s) plus earlier attempts. */
const SETTLED_MS = 100_000;

/** The environment of a row: the built service as in production on a separate database, accounts, and the sink of their webhooks. */
export class FaultEnvironment {
  private load?: Load;
  private readonly callers: ApiLoad[] = [];

  private constructor(
    readonly stack: Stack,
    readonly sink: FaultSink,
    readonly pool: Pool,
    private readonly accounts: FaultAccounts,
  ) {}

  /** Starts two workers by default. */
  static async open({ directUrl, ...options }: FaultEnvironmentOptions = {}): Promise<FaultEnvironment> {
    const env = { LOG_LEVEL: process.env.FAULTS_LOG ?? 'silent', ...options.env };
    const stack = await Stack.start({ apis: 0, dialers: 0, workers: 2, ...options, env });
    const sink = await FaultSink.start();
    const pool = new Pool({ connectionString: directUrl ?? stack.database.url, max: 12, application_name: 'faults' });
    pool.on('error', () => undefined);
    const accounts = await applyAccounts(stack, sink.url(0));
    for (const { webhook_secret } of Object.values(accounts)) sink.trust(webhook_secret);
    return new FaultEnvironment(stack, sink, pool, accounts);
  }

  /** Opens an environment, runs `work`, and always closes it. */
  static async with(
    options: FaultEnvironmentOptions,
    work: (environment: FaultEnvironment) => Promise<Findings>,
  ): Promise<Findings> {
    const environment = await FaultEnvironment.open(options);
    try {
      return await work(environment);
    } finally {
      await environment.close();
    }
  }

  get workers(): StackProcess[] {
    return this.stack.processes.filter(({ role }) => role === 'worker');
  }

  begin(rate = 150): Load {
    this.load = new Load(new EventWriter(this.pool, this.accounts.load), this.sink, { rate });
    return this.load;
  }

  /** The account of the clients, with a new token. */
  customer(): Promise<TestAccount> {
    return withToken(this.pool, this.accounts.customer);
  }

  /** The oldest process of a role. */
  oldest(role: Role): StackProcess {
    const found = this.stack.processes.find((one) => one.role === role);
    if (!found) throw new Error(`There is no ${role}.`);
    return found;
  }

  /** Creates calls of the customer through the api. */
  async beginCalls(options: Partial<ApiLoadOptions> = {}): Promise<ApiLoad> {
    const account = await this.customer();
    const load = new ApiLoad(this.stack, account, options);
    this.callers.push(load);
    return load;
  }

  /** Ends the load, waits until all webhooks are accepted, and compares database and sink. */
  async findings(missed: string[] = [], measured?: string): Promise<Findings> {
    await this.stopLoad();
    const committed = await this.committed();
    const all = () => committed.every(({ id }) => this.sink.accepted.has(id));
    const inTime = await this.sink.until(all, SETTLED_MS).then(
      () => true,
      () => false,
    );
    if (inTime) await this.untilStored();
    const verdict = judge(committed, this.sink.arrivals);
    // An acknowledged commit must be in the database.
    const ids = new Set(committed.map(({ id }) => id));
    const forgotten = (this.load?.acknowledged ?? []).filter((id) => !ids.has(id)).length;
    const lost = verdict.lost + forgotten + (await this.forgottenCalls());
    return { ...verdict, lost, events: committed.length, missed, measured };
  }

  async committed(): Promise<Committed[]> {
    const { rows } = await this.pool.query<Committed>(
      `SELECT id, stream_id AS "streamId", sequence, body FROM webhook_deliveries`,
    );
    return rows;
  }

  async close(): Promise<void> {
    await this.stopLoad();
    await this.pool.end();
    await this.stack.stop();
    await this.sink.close();
  }

  private async stopLoad(): Promise<void> {
    const loads = [...(this.load ? [this.load] : []), ...this.callers];
    await Promise.all(loads.map((load) => load.stop()));
  }

  /** Number of calls with a 201 but without a row or without their first webhook. */
  private async forgottenCalls(): Promise<number> {
    const promised = this.callers.flatMap(({ acknowledged }) => acknowledged);
    const { rows } = await this.pool.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM unnest($1::uuid[]) AS promised(id)
        WHERE NOT EXISTS (SELECT FROM calls c JOIN webhook_deliveries d ON d.call_id = c.id WHERE c.id = promised.id)`,
      [promised],
    );
    return rows[0]?.count ?? 0;
  }

  /** Waits until the database shows all deliveries as ended: any later request is a duplicate. */
  private async untilStored(): Promise<void> {
    const open = `SELECT (SELECT count(*) FROM webhook_deliveries WHERE state <> 'delivered')::integer AS deliveries,
        (SELECT count(*) FROM webhook_streams WHERE lease_owner IS NOT NULL)::integer AS leases`;
    const isNone = (left: { deliveries: number; leases: number } | undefined): boolean =>
      left?.deliveries === 0 && left.leases === 0;
    await eventually(
      async () => (await this.pool.query<{ deliveries: number; leases: number }>(open)).rows[0],
      isNone,
      SETTLED_MS,
    );
  }
}
