import { Pool } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { apiOf } from '../test/support/api-client.js';
import { CountingCallee } from '../test/support/counting-callee.js';
import { eventually } from '../test/support/eventually.js';
import type { Stack } from '../test/support/stack.js';
import { createAccount, type TestAccount } from '../test/support/workspace.js';
import { assertRunning, pidsOf, resize, type ScaleEnvironment } from './scale-environment.js';
import { rounds, type Measured, type Work } from './scale-rounds.js';

const ACCOUNTS = 4;
/** Calls of one account in one request. */
const CALLS = 40;
const IDLE_CALLS = 20;
/** Concurrent calls of one process: an eighth of a backlog, so that four processes share it. */
const DIALER_CALLS = String((ACCOUNTS * CALLS) / 8);
const PATIENCE_MS = 60_000;

/** The callee answers and hangs up at once. One api receives the requests, one worker runs; the calls have no webhooks. */
export async function scaleDialer(environment: ScaleEnvironment): Promise<Measured[]> {
  const callee = await CountingCallee.start('127.0.0.1', 0);
  const stack = await environment.stack({ database: await environment.database(), dialers: 0, env: { DIALER_CALLS } });
  const pool = new Pool({ connectionString: stack.database.url, max: 2 });
  try {
    const accounts: TestAccount[] = [];
    const limits = { concurrentCalls: 1_000, callsPerSecond: 1_000 };
    while (accounts.length < ACCOUNTS)
      accounts.push(await createAccount(stack, { name: `account ${accounts.length}`, ...limits }));
    const orders = accounts.map((account) => callCreator(stack, callee, account));
    const ended = () => allEnded(pool, stack);
    return await rounds({
      name: 'dialer',
      counts: [1, 2, 4],
      works: [backlog(ended, orders), idle(ended, callee, orders)],
      resize: (count) => resize(stack, 'dialer', count),
      pids: () => ({ own: pidsOf(stack, 'dialer'), postgres: environment.postgresPid }),
    });
  } finally {
    await pool.end();
    await stack.stop();
    await callee.close();
  }
}

export type CreateCalls = (calls: number) => Promise<void>;

let called = 0;

/** Creates calls to numbers that were not called before. */
export function callCreator(stack: Stack, callee: CountingCallee, account: TestAccount): CreateCalls {
  const api = apiOf(stack, account);
  // Even numbers are busy.
  const nextUser = (): string => callee.uri(2 * called++ + 1);
  return async (calls) => {
    await api.createCalls({ to_number: Array.from({ length: calls }, nextUser), record: false });
  };
}

/** From the requests to the end of the last call. */
const backlog = (ended: () => Promise<void>, orders: CreateCalls[]): Work => ({
  name: 'calls, from POST to end',
  warmUp: true,
  prepare: async () => {
    await ended();
    return async () => {
      await Promise.all(orders.map((order) => order(CALLS)));
      await ended();
      return { units: orders.length * CALLS };
    };
  },
});

/** From the request to the INVITE on an idle service. */
const idle = (ended: () => Promise<void>, callee: CountingCallee, orders: CreateCalls[]): Work => ({
  name: 'one call, from POST to INVITE',
  prepare: async () => {
    await ended();
    return async () => {
      const times: number[] = [];
      while (times.length < IDLE_CALLS) {
        const calls = callee.dialogs.size;
        const orderedAt = performance.now();
        await Promise.all([callee.untilDialogs(calls + 1), orders[times.length % orders.length]?.(1)]);
        times.push((callee.arrivals.at(-1) ?? 0) - orderedAt);
        await ended();
        await delay(5 + Math.random() * 40);
      }
      return { times };
    };
  },
});

export async function allEnded(pool: Pool, stack: Stack): Promise<void> {
  const open = 'SELECT count(*)::integer AS open FROM calls WHERE ended_at IS NULL';
  const look = async () => {
    assertRunning(stack);
    return (await pool.query<{ open: number }>(open)).rows[0]?.open;
  };
  await eventually(look, (calls) => calls === 0, PATIENCE_MS);
}
