import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { apiOf } from './support/api-client.js';
import { CountingCallee } from './support/counting-callee.js';
import { Stack } from './support/stack.js';
import { WebhookSink } from './support/webhook-sink.js';
import { type AccountPlan, createAccount } from './support/workspace.js';

/** Of the account; a trunk is what is narrow here. */
const WIDE = { concurrentCalls: 500, callsPerSecond: 500 };
/** A timer may be early by a millisecond, and so may a clock. */
const EARLY_MS = 20;

const numbers = (count: number, step: number): string[] =>
  Array.from({ length: count }, (_item, index) => `+1202555${String(1_001 + index * step).padStart(4, '0')}`);

describe('limits of a trunk, with two dialers, as the callee counts', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let database: Client;
  let callee: CountingCallee;

  beforeAll(async () => {
    sink = await WebhookSink.start();
    stack = await Stack.start({ dialers: 2 });
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
  }, 60_000);

  afterEach(() => callee?.close());

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await sink?.close();
  });

  /** An account with a narrow trunk to a callee of its own. */
  async function narrow(name: string, trunk: AccountPlan['trunk']) {
    callee = await CountingCallee.start();
    const plan = { name, ...WIDE, webhookUrl: `${sink.url}/${name}`, trunk: { ...trunk, port: callee.port } };
    const account = await createAccount(stack, plan);
    const api = apiOf(stack, account);
    const order = { trunk_id: account.trunkId, record: false };
    const untilEnded = (count: number) =>
      sink.until(
        (all) => all.filter((one) => one.path === `/${name}` && one.body.event === 'ended').length === count,
        90_000,
      );
    return { account, api, order, untilEnded };
  }

  it('three calls at once, the rest in order', async () => {
    const { account, api, order, untilEnded } = await narrow('three', { concurrent_calls: 3 });
    await api.createCalls({ ...order, to_number: numbers(24, 2) });
    await untilEnded(24);
    expect(callee.mostAtOnce).toBeLessThanOrEqual(3);
    expect(callee.dialogs.size).toBe(24);
    const { rows } = await database.query<{ started_at: Date }>(
      'SELECT started_at FROM calls WHERE account_id = $1 ORDER BY id',
      [account.accountId],
    );
    const starts = rows.map((row) => row.started_at.getTime());
    // Whatever is on the line together may have begun in any order; nobody overtakes by more than that.
    for (const [i, start] of starts.slice(3).entries()) expect(start).toBeGreaterThanOrEqual(starts[i]!);
  }, 120_000);

  it('four calls a second', async () => {
    const { api, order, untilEnded } = await narrow('four', { calls_per_second: 4 });
    const asked = performance.now();
    await api.createCalls({ ...order, to_number: numbers(10, 2) });
    await untilEnded(10);
    const waited = callee.arrivals.map((at) => at - asked).toSorted((a, b) => a - b);
    expect(waited).toHaveLength(10);
    for (const [i, ms] of waited.entries()) expect(ms).toBeGreaterThanOrEqual(i * 250 - EARLY_MS);
  }, 120_000);

  it('a hundred requests at the same time go no further than one', async () => {
    const { api, order, untilEnded } = await narrow('hundred', { concurrent_calls: 5 });
    // Busy and answering ones in turn.
    await Promise.all(numbers(100, 1).map((to_number) => api.createCall({ ...order, to_number })));
    await untilEnded(100);
    expect(callee.mostAtOnce).toBeLessThanOrEqual(5);
    expect([callee.dialogs.size, Math.max(...callee.dialogs.values())]).toEqual([100, 1]);
  }, 120_000);
});
