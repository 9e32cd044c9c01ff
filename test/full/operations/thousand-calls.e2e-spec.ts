import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { CountingCallee } from '../../support/counting-callee.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const CALLS = 1_000;
const ARRAY = 100;

describe('a thousand calls on three dialers, one of which is killed', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let callee: CountingCallee;
  let account: TestAccount;
  let database: Client;

  beforeAll(async () => {
    [sink, callee] = await Promise.all([WebhookSink.start(), CountingCallee.start()]);
    stack = await Stack.start({ dialers: 3, env: { DIALER_CALLS: '40' } });
    account = await createAccount(stack, {
      name: 'acme',
      webhookUrl: `${sink.url}/hook`,
      concurrentCalls: 100,
      callsPerSecond: 100,
    });
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await callee?.close();
    await sink?.close();
  });

  it('every call ends, no call is dialled twice, and every webhook stream is in order', async () => {
    const api = apiOf(stack, account);
    const numbers = Array.from({ length: CALLS }, (_, n) => callee.uri(n));
    const created: string[] = [];
    for (let from = 0; from < CALLS; from += ARRAY) {
      const calls = await api.createCalls({ to_number: numbers.slice(from, from + ARRAY), record: false });
      created.push(...calls.map((call) => call.call_id));
    }

    await callee.untilDialogs(300);
    const victim = stack.processes.find((one) => one.role === 'dialer');
    if (!victim) throw new Error('There is no dialer to kill.');
    await stack.kill(victim);

    await sink.until(
      (received) => received.filter((webhook) => webhook.body.event === 'ended').length >= CALLS,
      120_000,
    );

    const { rows } = await database.query<{ id: string; status: string; hangup_cause: string; to_number: string }>(
      'SELECT id, status, hangup_cause, to_number FROM calls',
    );
    expect(rows).toHaveLength(CALLS);
    const lost = rows.filter((call) => call.hangup_cause === 'worker_lost');
    expect(lost.every((call) => call.status === 'failed')).toBe(true);
    // The calls of the dead dialer, at most its number of places.
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThanOrEqual(40);
    for (const call of rows.filter((row) => !lost.includes(row))) {
      expect(call.status).toBe(numberOf(call.to_number) % 2 === 0 ? 'busy' : 'completed');
    }

    expect(Math.max(...callee.dialogs.values())).toBe(1);
    for (const id of created) {
      const sequences = firstDeliveries(sink.of(id).map(({ body }) => body));
      expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    }
  });
});

const numberOf = (uri: string): number => Number(/callee-(\d+)@/.exec(uri)?.[1]);

/** Sequence numbers in the order of their first arrival; a repeated delivery has the same id. */
function firstDeliveries(bodies: { id: string; sequence: number }[]): number[] {
  return [...new Map(bodies.map((body) => [body.id, body.sequence])).values()];
}
