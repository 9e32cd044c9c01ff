import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { CountingCallee } from '../../support/counting-callee.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount } from '../../support/workspace.js';

describe('limits of an account', () => {
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
