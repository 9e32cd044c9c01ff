import { newId, Encryption } from '@app/common';
import { newWebhookSecret } from '@app/webhooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogLines } from '../../support/log-lines.js';
import { InProcessApi } from '../../support/in-process-api.js';
import { aTool, errorsOf, ToolsEnvironment } from '../../support/tools-environment.js';
import { openDispatcher } from '../../support/webhook-environment.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const INVOCATIONS = '/api/v1/tool-invocations';
const DELIVERIES = '/api/v1/webhook-deliveries';

let environment: ToolsEnvironment<InProcessApi>;
let sink: WebhookReceiver;
const logs = new LogLines();

beforeAll(async () => {
  [environment, sink] = await Promise.all([ToolsEnvironment.over(await InProcessApi.start()), WebhookReceiver.start()]);
  const { pool, app } = environment.api;
  const encryption = app.get(Encryption);
  await pool.query('INSERT INTO webhook_secrets (account_id, secret_sealed) VALUES ($1, $2)', [
    environment.own.accountId,
    encryption.encrypt(newWebhookSecret(), 'webhook-secret'),
  ]);
  sink.answer = ({ path }, response) => response.writeHead(path === '/fails' ? 500 : 200).end('{}');
});
afterAll(async () => {
  await sink?.close();
  await environment?.close();
});

/** The result of a new tool with an action that posts to this URL. */
async function invoked(path: string, waits = true): Promise<{ tool: number; id: string; action: string }> {
  const tool = await environment.made(
    aTool({ webhook_actions: [{ name: 'post', url: sink.url(path), wait_response: waits }] }),
  );
  const { status, body } = await environment.post({ arguments: {} }, `${environment.path}/${tool.id}/invoke`);
  expect(status).toBe(200);
  return { tool: tool.id, id: body.data.invocation_id as string, action: body.data.actions[0].id as string };
}

const idsOf = (answer: { body: { data: { invocation_id: string }[] } }) =>
  answer.body.data.map(({ invocation_id }) => invocation_id);

describe('tool invocations', () => {
  it('are listed newest first, in pages and by cursor, filtered by tool, state and time', async () => {
    const made = [await invoked('/works'), await invoked('/fails'), await invoked('/works')];
    const [first, failed, last] = made.map(({ id }) => id) as [string, string, string];
    const list = await environment.get(INVOCATIONS);
    expect(list.body.meta).toMatchObject({ total: 3, per_page: 15, current_page: 1 });
    expect(idsOf(list)).toEqual([last, failed, first]);
    expect(list.body.data[1]).toMatchObject({
      tool_id: made[1]!.tool,
      agent_id: environment.own.agentId,
      call_id: null,
      source: 'invoke',
      state: 'failed',
    });
    expect(idsOf(await environment.get(`${INVOCATIONS}?state=failed`))).toEqual([failed]);
    expect(idsOf(await environment.get(`${INVOCATIONS}?tool_id=${made[2]!.tool}`))).toEqual([last]);
    expect(idsOf(await environment.get(`${INVOCATIONS}?call_id=${newId()}`))).toEqual([]);
    const time = encodeURIComponent(list.body.data[1].started_at as string);
    expect(idsOf(await environment.get(`${INVOCATIONS}?date_from=${time}`))).toEqual([last, failed]);

    const slice = await environment.get(`${INVOCATIONS}?pagination=cursor&per_page=2`);
    expect(idsOf(slice)).toEqual([last, failed]);
    const rest = await environment.get(`${INVOCATIONS}${new URL(slice.body.links.next as string).search}`);
    expect([idsOf(rest), rest.body.links.next]).toEqual([[first], null]);
    expect(errorsOf(await environment.get(`${INVOCATIONS}?state=lost`))).toHaveProperty('state');
  });

  it('contain the requests of their actions, and a queued action is replayed as a delivery with its id', async () => {
    const { id, action } = await invoked('/queued', false);
    const queued = await environment.get(`${INVOCATIONS}/${id}`);
    expect(queued.body.data.actions).toEqual([
      expect.objectContaining({ id: action, outcome: 'queued', url: sink.url('/queued'), attempts: [] }),
    ]);
    const worker = await openDispatcher(environment.api.databaseUrl, {}, logs.log);
    await logs.first({ delivery_id: action, state: 'delivered' });
    const sent = await environment.get(`${INVOCATIONS}/${id}`);
    expect(sent.body.data.actions[0]).toMatchObject({ outcome: 'succeeded', attempts: [{ attempt: 1, status: 200 }] });

    const { body } = await environment.get(`${DELIVERIES}?type=tool-action`);
    expect(body.data).toMatchObject([{ id: action, invocation_id: id, call_id: null, state: 'delivered' }]);
    logs.lines.length = 0;
    expect((await environment.post({}, `${DELIVERIES}/${action}/replay`)).status).toBe(202);
    await logs.first({ delivery_id: action, state: 'delivered' });
    await worker.close();
    const [one, two] = sink.received.filter(({ path }) => path === '/queued');
    expect(two!.headers).toMatchObject({ 'webhook-id': action, 'idempotency-key': action, 'webhook-attempt': '2' });
    expect([two!.method, two!.body]).toEqual([one!.method, one!.body]);
  });
});

describe('a replay of more deliveries than one request allows', () => {
  const DEAD = 10_040;

  it('continues after the first 10,000 and omits none', async () => {
    const { pool } = environment.api;
    await pool.query(
      `WITH i AS (SELECT id FROM tool_invocations WHERE account_id = $1 LIMIT 1),
            s AS (INSERT INTO webhook_streams (account_id, invocation_id, url, host)
                  SELECT $1, i.id, 'http://127.0.0.1:1/' || n, '127.0.0.1:1' FROM i, generate_series(1, 40) AS n RETURNING id)
       INSERT INTO webhook_deliveries (id, stream_id, account_id, type, event, sequence, method, url, body, state, created_at)
       SELECT gen_random_uuid(), (SELECT array_agg(id) FROM s)[1 + n % 40], $1, 'tool-action', 'tool.invoked', n, 'POST',
              'http://127.0.0.1:1/', '{}', 'dead', now() - n * interval '1 second' FROM generate_series(1, $2) AS n`,
      [environment.own.accountId, DEAD],
    );
    const range = { date_from: '2020-01-01', state: 'dead' };
    const first = await environment.post(range, `${DELIVERIES}/replay`);
    expect(first.body.data).toMatchObject({ replayed: 10_000, skipped: 0, next_cursor: expect.any(String) });
    const rest = await environment.post(
      { ...range, cursor: first.body.data.next_cursor as string },
      `${DELIVERIES}/replay`,
    );
    expect(rest.body.data).toEqual({ replayed: DEAD - 10_000, skipped: 0, next_cursor: null });
    const { body } = await environment.get(`${DELIVERIES}?state=dead`);
    expect(body.meta.total).toBe(0);
  });
});
