import { THE_SERVICE } from '@app/audit';
import { readCursor } from '@app/database';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { WebhookAccount } from '../../../../test/support/webhook-account.js';
import { WebhookEnvironment } from '../../../../test/support/webhook-environment.js';

let environment: WebhookEnvironment;
let deliveries: WebhookDeliveriesService;

beforeAll(async () => {
  environment = await WebhookEnvironment.open();
  deliveries = environment.services.get(WebhookDeliveriesService);
});
afterAll(() => environment?.close());

const by = ({ id }: WebhookAccount) => ({ accountId: id, actor: THE_SERVICE });

it('a delivery that is replayed and fails again restarts its slow attempts after one quick attempt', async () => {
  const [sink, account] = [await environment.sink(), await environment.account()];
  await account.addSecret();
  sink.answer = (_, response) => response.writeHead(500).end();
  const target = { url: sink.url('/never'), method: 'POST' };
  const [record] = await account.writeStatuses(await account.createCall(), target, 1);
  const dispatcher = await environment.dispatcher();
  const dead = { delivery_id: record!.id, state: 'dead' };
  await environment.logs.first(dead);
  expect(sink.received).toHaveLength(13);
  environment.logs.lines.length = 0;
  await deliveries.replay(by(account), record!.id);
  dispatcher.wake();
  await environment.logs.first(dead);
  expect(sink.received).toHaveLength(13 + 1 + 8);
  expect(await environment.delivery(record!.id)).toMatchObject({ state: 'dead', attempts: 22 });
  await dispatcher.stop();
});

it('a replay of more deliveries than one request allows continues after the first 10,000 and omits none', async () => {
  const account = await environment.account();
  const many = 10_040;
  await environment.pool.query(
    `WITH s AS (INSERT INTO webhook_streams (account_id, call_id, url, host)
                SELECT $1, $2, 'http://127.0.0.1:1/' || n, '127.0.0.1:1' FROM generate_series(1, 40) AS n RETURNING id)
     INSERT INTO webhook_deliveries (id, stream_id, account_id, type, event, sequence, method, url, body, state, created_at)
     SELECT gen_random_uuid(), (SELECT array_agg(id) FROM s)[1 + n % 40], $1, 'call-status', 'initiated', n, 'POST',
            'http://127.0.0.1:1/', '{}', 'dead', now() - n * interval '1 second' FROM generate_series(1, $3) AS n`,
    [account.id, await account.createCall(), many],
  );
  const range = { from: new Date('2020-01-01'), to: new Date(), state: 'dead' as const };
  const first = await deliveries.replayRange(by(account), range);
  expect(first).toMatchObject({ replayed: 10_000, skipped: 0, next: expect.any(String) });
  const rest = await deliveries.replayRange(by(account), range, readCursor(first.next!));
  expect(rest).toEqual({ replayed: many - 10_000, skipped: 0, next: null });
  const left = `SELECT 1 FROM webhook_deliveries WHERE account_id = $1 AND state = 'dead'`;
  expect((await environment.pool.query(left, [account.id])).rows).toEqual([]);
});
