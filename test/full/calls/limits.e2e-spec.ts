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

const e164s = (count: number, step: number): string[] =>
  Array.from({ length: count }, (_item, index) => `+1202555${String(1_001 + index * step).padStart(4, '0')}`);

/** Two dialers, which share the limits. */
let stack: Stack;
let sink: WebhookSink;
let callee: CountingCallee;
let database: Client;

beforeAll(async () => {
  [sink, callee] = await Promise.all([WebhookSink.start(), CountingCallee.start()]);
  stack = await Stack.start({ dialers: 2 });
  database = new Client({ connectionString: stack.database.url });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await callee?.close();
  await sink?.close();
});

describe('limits of an account', () => {
  async function placeAll(
    limits: { name: string; concurrentCalls?: number; callsPerSecond?: number },
    numbers: number[],
  ) {
    const account = await createAccount(stack, { ...limits, webhookUrl: `${sink.url}/${limits.name}` });
    await apiOf(stack, account).createCalls({ to_number: numbers.map((n) => callee.uri(n)), record: false });
    const path = `/${limits.name}`;
    await sink.until(
      (all) => all.filter((one) => one.path === path && one.body.event === 'ended').length === numbers.length,
    );
    const { rows } = await database.query<{ started_at: Date; ended_at: Date }>(
      'SELECT started_at, ended_at FROM calls WHERE account_id = $1 ORDER BY id',
      [account.accountId],
    );
    return rows;
  }

  it('two calls at once, the rest in order', async () => {
    const calls = await placeAll({ name: 'narrow', concurrentCalls: 2 }, [1, 3, 5, 7, 9, 11]);
    for (const call of calls) {
      const others = calls.filter(
        (one) => one !== call && one.started_at <= call.started_at && one.ended_at > call.started_at,
      );
      expect(others.length).toBeLessThan(2);
    }
    // A claimed call holds one of the two places, so at most one earlier call has not begun when a call begins.
    const starts = calls.map((call) => call.started_at.getTime());
    for (const [i, start] of starts.entries())
      expect(starts.slice(0, i).filter((earlier) => earlier > start).length).toBeLessThan(2);
  });

  it('four calls a second', async () => {
    const asked = Date.now();
    const calls = await placeAll({ name: 'slow', callsPerSecond: 4 }, [2, 4, 6, 8, 10, 12]);
    const waited = calls.map((call) => call.started_at.getTime() - asked).toSorted((a, b) => a - b);
    // Each has its turn, and may be late on a busy machine, but never early by more than a clock's millisecond or two.
    for (const [i, ms] of waited.entries()) expect(ms).toBeGreaterThanOrEqual(i * 250 - 20);
  });

  // Thousands may stand in line when somebody says stop.
  it.each([
    ['agents', 101],
    ['phone_numbers', 111],
    ['sip_trunks', 121],
  ])('what waits is not dialled any more by what was made inactive: %s', async (table, first) => {
    const plan = { name: table, callsPerSecond: 1, webhookUrl: `${sink.url}/${table}`, trunk: { port: callee.port } };
    const account = await createAccount(stack, plan);
    const seen = callee.dialogs.size;
    const numbers = [first, first + 2, first + 4];
    const calls = await apiOf(stack, account).createCalls({
      to_number: numbers.map((n) => callee.uri(n)),
      trunk_id: account.trunkId,
      record: false,
    });
    await callee.untilDialogs(seen + 1);
    await database.query(`UPDATE ${table} SET active = false WHERE account_id = $1`, [account.accountId]);
    await sink.until(() => calls.every(({ call_id: id }) => sink.eventsOf(id).includes('ended')));
    const ended = await Promise.all(calls.map(({ call_id: id }) => apiOf(stack, account).call(id)));
    expect(ended[0]).toMatchObject({ status: 'completed' });
    expect(ended[2]).toMatchObject({ status: 'failed', hangup_cause: 'deactivated', ended_by: 'system' });
    expect(callee.dialogs.has(`callee-${first + 4}`)).toBe(false);
  });
});

describe('a trunk with limits', () => {
  /** Of the running test. */
  let separate: CountingCallee;

  afterEach(() => separate?.close());

  /** An account whose trunk has these limits and a separate callee. */
  async function narrow(name: string, trunk: AccountPlan['trunk']) {
    separate = await CountingCallee.start();
    const plan = { name, ...WIDE, webhookUrl: `${sink.url}/${name}`, trunk: { ...trunk, port: separate.port } };
    const account = await createAccount(stack, plan);
    const api = apiOf(stack, account);
    const order = { trunk_id: account.trunkId, record: false };
    const untilEnded = (count: number) =>
      sink.until((all) => all.filter((one) => one.path === `/${name}` && one.body.event === 'ended').length === count);
    return { account, api, order, untilEnded };
  }

  it('with three lines carries three calls at once and starts the others in order', async () => {
    const { account, api, order, untilEnded } = await narrow('three', { concurrent_calls: 3 });
    await api.createCalls({ ...order, to_number: e164s(24, 2) });
    await untilEnded(24);
    expect(separate.mostAtOnce).toBeLessThanOrEqual(3);
    expect(separate.dialogs.size).toBe(24);
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
    await api.createCalls({ ...order, to_number: e164s(10, 2) });
    await untilEnded(10);
    const waited = separate.arrivals.map((at) => at - asked).toSorted((a, b) => a - b);
    expect(waited).toHaveLength(10);
    for (const [i, ms] of waited.entries()) expect(ms).toBeGreaterThanOrEqual(i * 250 - EARLY_MS);
  });

  it('keeps its limit for a hundred requests at the same time, and dials each number once', async () => {
    const { api, order, untilEnded } = await narrow('hundred', { concurrent_calls: 5 });
    // Busy and answering numbers in turn.
    await Promise.all(e164s(100, 1).map((to_number) => api.createCall({ ...order, to_number })));
    await untilEnded(100);
    expect(separate.mostAtOnce).toBeLessThanOrEqual(5);
    expect([separate.dialogs.size, Math.max(...separate.dialogs.values())]).toEqual([100, 1]);
  });
});
