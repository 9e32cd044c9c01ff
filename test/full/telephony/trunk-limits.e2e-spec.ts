import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { CountingCallee } from '../../support/counting-callee.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { type AccountPlan, createAccount } from '../../support/workspace.js';

/** Limits of the account, above those of the trunk. */
const WIDE = { concurrentCalls: 500, callsPerSecond: 500 };
/** Timers and clocks may be early by a millisecond. */
const EARLY_MS = 20;

const numbers = (count: number, step: number): string[] =>
  Array.from({ length: count }, (_item, index) => `+1202555${String(1_001 + index * step).padStart(4, '0')}`);

describe('a trunk with limits, shared by two dialers,', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let database: Client;
  let callee: CountingCallee;

  beforeAll(async () => {
    sink = await WebhookSink.start();
    stack = await Stack.start({ dialers: 2 });
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
  });

  afterEach(() => callee?.close());

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await sink?.close();
  });

  /** An account whose trunk has these limits and a separate callee. */
  async function narrow(name: string, trunk: AccountPlan['trunk']) {
    callee = await CountingCallee.start();
    const plan = { name, ...WIDE, webhookUrl: `${sink.url}/${name}`, trunk: { ...trunk, port: callee.port } };
    const account = await createAccount(stack, plan);
    const api = apiOf(stack, account);
    const order = { trunk_id: account.trunkId, record: false };
    const untilEnded = (count: number) =>
      sink.until((all) => all.filter((one) => one.path === `/${name}` && one.body.event === 'ended').length === count);
    return { account, api, order, untilEnded };
  }

  it('with three lines carries three calls at once and starts the others in order', async () => {
    const { account, api, order, untilEnded } = await narrow('three', { concurrent_calls: 3 });
    await api.createCalls({ ...order, to_number: numbers(24, 2) });
    await untilEnded(24);
    expect(callee.mostAtOnce).toBeLessThanOrEqual(3);
    expect(callee.dialogs.size).toBe(24);
    const { rows } = await database.query<{ started_at: Date; ended_at: Date }>(
      'SELECT started_at, ended_at FROM calls WHERE account_id = $1 ORDER BY id',
      [account.accountId],
    );
    // A call is claimed after its predecessors: at most two of them are still on the line when it starts, however long each takes.
    for (const [i, { started_at: start }] of rows.entries()) {
      const onTheLine = rows.slice(0, i).filter(({ ended_at: end }) => end.getTime() - EARLY_MS > start.getTime());
      expect(onTheLine.length).toBeLessThan(3);
    }
  });

  it('with four calls a second starts no call earlier', async () => {
    const { api, order, untilEnded } = await narrow('four', { calls_per_second: 4 });
    const asked = performance.now();
    await api.createCalls({ ...order, to_number: numbers(10, 2) });
    await untilEnded(10);
    const waited = callee.arrivals.map((at) => at - asked).toSorted((a, b) => a - b);
    expect(waited).toHaveLength(10);
    for (const [i, ms] of waited.entries()) expect(ms).toBeGreaterThanOrEqual(i * 250 - EARLY_MS);
  });

  it('keeps its limit for a hundred requests at the same time, and dials each number once', async () => {
    const { api, order, untilEnded } = await narrow('hundred', { concurrent_calls: 5 });
    // Busy and answering numbers in turn.
    await Promise.all(numbers(100, 1).map((to_number) => api.createCall({ ...order, to_number })));
    await untilEnded(100);
    expect(callee.mostAtOnce).toBeLessThanOrEqual(5);
    expect([callee.dialogs.size, Math.max(...callee.dialogs.values())]).toEqual([100, 1]);
  });
});
