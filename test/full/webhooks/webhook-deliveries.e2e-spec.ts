import { newId, Encryption } from '@app/common';
import { newWebhookSecret } from '@app/webhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { InProcessApi } from '../../support/in-process-api.js';
import { aToken, aWorkspace, type Workspace } from '../../support/factories.js';
import { LogLines } from '../../support/log-lines.js';
import { openDispatcher } from '../../support/webhook-environment.js';
import { WebhookReceiver, type ReceivedWebhook } from '../../support/webhook-receiver.js';
import { currentSecrets } from '../../support/webhook-account.js';

let api: InProcessApi;
let own: Workspace;
let other: Workspace;
let sink: WebhookReceiver;
let logs: LogLines;
let worker: INestApplicationContext;

beforeAll(async () => {
  api = await InProcessApi.start();
  [own, other] = [await anAccount(), await anAccount()];
  sink = await WebhookReceiver.start();
  logs = new LogLines();
  worker = await openDispatcher(api.databaseUrl, {}, logs.log);
});
afterAll(async () => {
  await worker?.close();
  await sink?.close();
  await api?.stop();
});
beforeEach(() => {
  sink.received.length = 0;
  sink.answer = (_, response) => response.end('ok');
});

async function anAccount(): Promise<Workspace> {
  const workspace = await aWorkspace(api.pool);
  const sealed = api.app.get(Encryption).encrypt(newWebhookSecret(), 'webhook-secret');
  const values = [workspace.accountId, sealed];
  await api.pool.query('INSERT INTO webhook_secrets (account_id, secret_sealed) VALUES ($1, $2)', values);
  return workspace;
}

const me = (workspace = own) => api.as(workspace.token);
const DELIVERIES = '/api/v1/webhook-deliveries';

/** Creates a call through the API whose first webhook goes to the sink, and returns its delivery once that is in `state`. */
async function delivered(state: string, path = '/hook?key=secret', workspace = own) {
  const made = await me(workspace)
    .post('/api/v1/calls')
    .send({
      to_number: 'sip:a@127.0.0.1',
      agent_id: workspace.agentId,
      number_id: workspace.numberId,
      call_status_webhook_url: sink.url(path),
      call_status_webhook_headers: [{ key: 'X-Team', value: 'sales' }],
    });
  expect(made.status).toBe(201);
  const callId = String(made.body.data.call_id);
  const { delivery_id: id } = await logs.first({ call_id: callId, state });
  return { callId, id: String(id) };
}

const refusing =
  (status: number) => (_: ReceivedWebhook, response: { writeHead(code: number): { end(text: string): void } }) =>
    response.writeHead(status).end('out of order');

/** Considers only log lines from now on, because a replay reaches a state that the delivery was in before. */
const forgetLines = () => (logs.lines.length = 0);

describe('a webhook that did not arrive', () => {
  it('is listed, shown with its attempts, and replayed with the same id', async () => {
    sink.answer = refusing(500);
    const { callId, id } = await delivered('dead');
    const { body } = await me().get(`${DELIVERIES}?call_id=${callId}`);
    expect(body.meta).toMatchObject({ total: 1, per_page: 15, current_page: 1 });
    expect(body.data).toEqual([
      {
        id,
        type: 'call-status',
        event: 'initiated',
        call_id: callId,
        invocation_id: null,
        sequence: 1,
        method: 'POST',
        url: sink.url('/hook'),
        state: 'dead',
        attempt_count: 13,
        next_attempt_at: null,
        last_status: 500,
        last_error: null,
        created_at: expect.stringMatching(/\+00:00$/),
        delivered_at: null,
        replayed_at: null,
      },
    ]);

    const one = await me().get(`${DELIVERIES}/${id}`);
    expect(one.status).toBe(200);
    expect(one.body.data).toMatchObject({ ...body.data[0], body: sink.received[0]!.body });
    expect(one.body.data.attempts).toHaveLength(13);
    expect(one.body.data.attempts[0]).toEqual({
      attempt: 1,
      at: expect.stringMatching(/\+00:00$/),
      status: 500,
      latency_ms: expect.any(Number),
      error: null,
      answer: 'out of order',
      request_headers: expect.objectContaining({ 'webhook-id': id, 'x-team': '[redacted]' }),
    });

    sink.answer = (_, response) => response.end('ok');
    forgetLines();
    const replayed = await me().post(`${DELIVERIES}/${id}/replay`);
    expect(replayed.status).toBe(202);
    expect(replayed.body.data).toMatchObject({ id, state: 'pending', replayed_at: expect.any(String) });
    await logs.first({ delivery_id: id, state: 'delivered' });
    const [first, last] = [sink.received[0]!, sink.received.at(-1)!];
    expect(last.headers).toMatchObject({ 'webhook-id': id, 'webhook-attempt': '14', 'x-team': 'sales' });
    expect(last.body).toBe(first.body);
    const after = await me().get(`${DELIVERIES}/${id}`);
    expect(after.body.data).toMatchObject({ state: 'delivered', attempt_count: 14, delivered_at: expect.any(String) });
  });

  it('and fails again restarts its slow attempts after one quick attempt', async () => {
    sink.answer = refusing(500);
    const { id } = await delivered('dead', '/never');
    expect(sink.received).toHaveLength(13);
    forgetLines();
    await me().post(`${DELIVERIES}/${id}/replay`).expect(202);
    await logs.first({ delivery_id: id, state: 'dead' });
    expect(sink.received).toHaveLength(13 + 1 + 8);
    expect((await me().get(`${DELIVERIES}/${id}`)).body.data).toMatchObject({ state: 'dead', attempt_count: 22 });
  });

  it('is replayed with all others of a period, without the received ones', async () => {
    const since = new Date().toISOString();
    await delivered('delivered', '/outage');
    sink.answer = refusing(500);
    const lost = [await delivered('dead', '/outage'), await delivered('dead', '/outage')];
    sink.answer = (_, response) => response.end('ok');
    sink.received.length = 0;
    forgetLines();
    const range = { date_from: since, url: sink.url('/outage') };
    const replayed = await me().post(`${DELIVERIES}/replay`).send(range);
    expect(replayed.status).toBe(202);
    expect(replayed.body).toEqual({
      message: '2 webhooks will be sent again.',
      data: { replayed: 2, skipped: 0, next_cursor: null },
    });
    for (const { id } of lost) await logs.first({ delivery_id: id, state: 'delivered' });
    const came = sink.received.map(({ headers }) => headers['webhook-id']);
    expect(came).toHaveLength(2);
    expect(new Set(came)).toEqual(new Set(lost.map(({ id }) => id)));
    const again = await me().post(`${DELIVERIES}/replay`).send(range);
    expect(again.body.data.replayed).toBe(0);
    const all = await me()
      .post(`${DELIVERIES}/replay`)
      .send({ ...range, state: 'delivered', type: 'call-status' });
    expect(all.body.data.replayed).toBe(3);
    const notes = await api.pool.query(
      `SELECT details->'count' AS count FROM audit_events WHERE account_id = $1 AND action = 'webhook_deliveries.replayed' ORDER BY at`,
      [own.accountId],
    );
    expect(notes.rows.map(({ count }) => count)).toEqual([2, 3]);
  });
});

describe('a disabled endpoint', () => {
  it('is listed, and nothing is replayed to it until it is enabled', async () => {
    sink.answer = refusing(500);
    const since = new Date().toISOString();
    const { id } = await delivered('dead', '/gone');
    await api.pool.query(
      `INSERT INTO webhook_endpoints (account_id, url, disabled_at, disabled_reason) VALUES ($1, $2, now(), 'gone')
         ON CONFLICT (account_id, url) DO UPDATE SET disabled_at = now(), disabled_reason = 'gone'`,
      [own.accountId, sink.url('/gone')],
    );
    const { body } = await me().get('/api/v1/webhook-endpoints?state=disabled');
    expect(body.meta.total).toBe(1);
    const [endpoint] = body.data;
    expect(endpoint).toMatchObject({ url: sink.url('/gone'), state: 'disabled', disabled_reason: 'gone' });
    const refused = await me().post(`${DELIVERIES}/${id}/replay`);
    expect([refused.status, refused.body]).toEqual([
      409,
      { message: 'The endpoint of the delivery is disabled. Enable it first.' },
    ]);
    const range = await me().post(`${DELIVERIES}/replay`).send({ date_from: since });
    expect(range.body.data).toEqual({ replayed: 0, skipped: 1, next_cursor: null });

    await me(other).post(`/api/v1/webhook-endpoints/${endpoint.id}/enable`).expect(404);
    const enabled = await me().post(`/api/v1/webhook-endpoints/${endpoint.id}/enable`);
    expect(enabled.body.data).toMatchObject({ id: endpoint.id, state: 'active', disabled_at: null });
    sink.answer = (_, response) => response.end('ok');
    await me().post(`${DELIVERIES}/${id}/replay`).expect(202);
    await logs.first({ delivery_id: id, state: 'delivered' });
  });
});

describe('a test webhook', () => {
  it('goes to a URL, signed like all webhooks, and its answer can be read', async () => {
    const made = await me()
      .post('/api/v1/webhooks/test')
      .send({ url: sink.url('/try'), headers: [{ key: 'X-Key', value: 'open-sesame' }] });
    expect(made.status).toBe(202);
    const { id } = made.body.data;
    expect(made.body.data).toMatchObject({ type: 'test', event: 'test', call_id: null, state: 'pending' });
    await logs.first({ delivery_id: id, state: 'delivered' });
    const { body, headers } = sink.received.find((webhook) => webhook.headers['webhook-id'] === id)!;
    const [secret] = await currentSecrets(api.pool, api.app.get(Encryption), own.accountId);
    expect(new Webhook(secret!).verify(body, headers as Record<string, string>)).toMatchObject({ id, type: 'test' });
    expect(headers['x-key']).toBe('open-sesame');
    const read = await me().get(`${DELIVERIES}/${id}`);
    expect(read.body.data).toMatchObject({ state: 'delivered', attempts: [{ status: 200, answer: 'ok' }] });
  });

  it('is delivered once if the receiver answers 100 Continue and then 204 with a length', async () => {
    sink.answer = (_, response) => {
      response.writeContinue();
      response.socket?.write('HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n');
    };
    const { body } = await me()
      .post('/api/v1/webhooks/test')
      .send({ url: sink.url('/interim') });
    await logs.first({ delivery_id: body.data.id, state: 'delivered' });
    const read = await me().get(`${DELIVERIES}/${body.data.id}`);
    expect(read.body.data).toMatchObject({ state: 'delivered', attempts: [{ status: 204 }] });
    expect(sink.received.filter(({ path }) => path === '/interim')).toHaveLength(1);
  });

  it.each(['post_call', 'pre_call'])(
    'of an agent goes to the URL of its webhook %s, and is not retried',
    async (webhook) => {
      sink.answer = refusing(503);
      const target = { url: sink.url('/agent'), method: 'PUT' };
      await api.pool.query(`UPDATE agents SET ${webhook}_webhook = $2 WHERE id = $1`, [own.agentId, target]);
      const order = { agent_id: own.agentId, webhook };
      const { body } = await me().post('/api/v1/webhooks/test').send(order);
      await logs.first({ delivery_id: body.data.id, state: 'dead' });
      expect(sink.received.map(({ method, path }) => ({ method, path }))).toEqual([{ method: 'PUT', path: '/agent' }]);
    },
  );

  it.each([
    [{}, 'url', 'The url field is required when agent id is not present.'],
    [{ url: '', agent_id: '' }, 'url', 'The url field is required when agent id is not present.'],
    [{ url: 'http://169.254.169.254/' }, 'url', 'The URL must not point to an internal address.'],
    [{ url: 'ftp://example.com/' }, 'url', 'The URL must be an absolute http or https URL.'],
    [{ url: 'https://example.com/', agent_id: 1 }, 'agent_id', 'The agent id field is prohibited when url is present.'],
    [{ agent_id: 999_999 }, 'agent_id', 'The selected agent id is invalid.'],
    [{ url: 'https://example.com/', method: 'DELETE' }, 'method', expect.stringContaining('is invalid')],
    [
      { url: 'https://example.com/', headers: [{ key: 'Host', value: 'x' }] },
      'headers.0.key',
      'The header Host is set by the service.',
    ],
  ])('rejects %j', async (order, field, sentence) => {
    const { status, body } = await me().post('/api/v1/webhooks/test').send(order);
    expect(status).toBe(422);
    expect(body.errors).toEqual({ [field]: [sentence] });
  });

  it('of an agent without that webhook is rejected', async () => {
    const { status, body } = await me(other).post('/api/v1/webhooks/test').send({ agent_id: other.agentId });
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { webhook: ['The agent has no such webhook. Give it one, or name a url.'] },
    });
  });
});

describe('the list of deliveries', () => {
  it.each([
    [
      'type',
      'post',
      'The selected type is invalid. It must be one of: call-status, post-call, tool-action, test, pre-call, campaign, call-analysis, test-run.',
    ],
    ['state', 'lost', 'The selected state is invalid. It must be one of: pending, slow, delivered, dead, refused.'],
    ['event', 'x', expect.stringContaining('The selected event is invalid.')],
    ['call_id', '7', 'The call id field must be a valid UUID.'],
    ['date_from', 'yesterday', 'The date from field must be an ISO 8601 date or time.'],
    ['cursor', 'x', 'The cursor field must be a cursor of an earlier response.'],
    ['per_page', '101', 'The per page field must be between 1 and 100.'],
  ])('refuses %s=%s', async (field, value, sentence) => {
    const { status, body } = await me().get(`${DELIVERIES}?${field}=${value}`);
    expect(status).toBe(422);
    expect(body.errors).toEqual({ [field]: [sentence] });
  });

  it('is filtered by each parameter, and paged by cursor', async () => {
    const third = await anAccount();
    const calls = [];
    for (const path of ['/a?x=1', '/a?x=2', '/b']) calls.push(await delivered('delivered', path, third));
    const ids = calls.map(({ id }) => id);
    const found = async (query: string) => {
      const { body } = await me(third).get(`${DELIVERIES}?${query}`);
      return body.data.map(({ id }: { id: string }) => ids.indexOf(id));
    };
    const today = new Date().toISOString().slice(0, 10);
    expect(await found('')).toEqual([2, 1, 0]);
    const toA = `url=${encodeURIComponent(sink.url('/a?x=9'))}`;
    expect(await found(`${toA}&call_id=${calls[1]!.callId}`)).toEqual([1]);
    expect(await found(`${toA}&call_id=${calls[2]!.callId}`)).toEqual([]);
    expect(await found(`${toA}&state=dead`)).toEqual([]);
    const wide = await me(third).get(`${DELIVERIES}?${toA}&state=delivered`);
    expect(wide.body.errors).toEqual({ url: ['The url field needs a call id, or a state other than delivered.'] });
    expect(await found(`call_id=${calls[1]!.callId}`)).toEqual([1]);
    expect(await found('state=delivered&type=call-status&event=initiated')).toEqual([2, 1, 0]);
    expect(await found('state=dead')).toEqual([]);
    expect(await found('type=test')).toEqual([]);
    expect(await found(`date_from=${today}&date_to=${today}`)).toEqual([2, 1, 0]);
    expect(await found('date_to=2020-01-01')).toEqual([]);
    expect(await found('page=2&per_page=2')).toEqual([0]);
    const slice = await me(third).get(`${DELIVERIES}?pagination=cursor&per_page=2`);
    expect(slice.body.meta.next_cursor).toEqual(expect.any(String));
    expect(await found(`per_page=2&cursor=${slice.body.meta.next_cursor}`)).toEqual([0]);
  });

  it('is filtered by each state of a delivery that did not arrive', async () => {
    const third = await anAccount();
    const found = async (state: string) => {
      const { body } = await me(third).get(`${DELIVERIES}?state=${state}`);
      return body.data.map(({ id }: { id: string }) => id);
    };
    const arrived = new Promise<{ end(text: string): void }>((resolve) => {
      sink.answer = (_, response) => resolve(response);
    });
    const late = delivered('delivered', '/late', third);
    const response = await arrived;
    const [pending] = await found('pending');
    response.end('ok');
    expect(pending).toBe((await late).id);
    sink.answer = refusing(500);
    const { id } = await delivered('dead', '/never', third);
    expect([await found('pending'), await found('slow'), await found('dead')]).toEqual([[], [], [id]]);
    sink.answer = (_, ok) => ok.end('ok');
    forgetLines();
    await me(third).post(`${DELIVERIES}/${id}/replay`).expect(202);
    await logs.first({ delivery_id: id, state: 'delivered' });
    expect(await found('dead')).toEqual([]);
  });
});

describe("another account's", () => {
  it('deliveries are not found, listed or replayed', async () => {
    sink.answer = refusing(410);
    const { callId, id } = await delivered('dead', '/theirs', other);
    const missing = newId();
    for (const path of [`${DELIVERIES}/%s`, `${DELIVERIES}/%s/replay`]) {
      const ask = (which: string) =>
        path.endsWith('replay') ? me().post(path.replace('%s', which)) : me().get(path.replace('%s', which));
      const [theirs, none, malformed] = [await ask(id), await ask(missing), await ask('1')];
      expect(theirs.status).toBe(404);
      expect(theirs.body).toEqual({ message: 'Webhook delivery not found.' });
      expect([none.body, malformed.body]).toEqual([theirs.body, theirs.body]);
    }
    expect((await me().get(`${DELIVERIES}?call_id=${callId}`)).body.data).toEqual([]);
    const range = { date_from: '2020-01-01', call_id: callId };
    const replayed = await me().post(`${DELIVERIES}/replay`).send(range);
    expect(replayed.body.errors).toEqual({ call_id: ['The selected call id is invalid.'] });
  });

  it('is closed to tokens without the scope', async () => {
    const reader = api.as(await aToken(api.pool, own.accountId, ['webhooks:read']));
    const caller = api.as(await aToken(api.pool, own.accountId, ['calls:read']));
    expect((await reader.get(DELIVERIES)).status).toBe(200);
    expect((await reader.post(`${DELIVERIES}/replay`).send({ date_from: '2020-01-01' })).status).toBe(403);
    expect((await caller.get(DELIVERIES)).status).toBe(403);
  });
});

describe('the secret', () => {
  it('is rotated: webhooks carry both signatures until the older secret expires', async () => {
    const before = await me().get('/api/v1/webhook-secrets');
    expect(before.body.data).toHaveLength(1);
    const [old] = await currentSecrets(api.pool, api.app.get(Encryption), own.accountId);
    const rotated = await me().post('/api/v1/webhook-secrets/rotate').send({ overlap_hours: 2 });
    expect(rotated.status).toBe(201);
    const { id, secret, previous_expires_at: until } = rotated.body.data;
    expect(secret).toMatch(/^whsec_/);
    const listed = await me().get('/api/v1/webhook-secrets');
    expect(listed.body.data).toEqual([
      { id, hint: `whsec_…${secret.slice(-4)}`, created_at: expect.any(String), expires_at: null },
      { ...before.body.data[0], hint: `whsec_…${old!.slice(-4)}`, expires_at: until },
    ]);
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    expect(await currentSecrets(api.pool, api.app.get(Encryption), own.accountId)).toEqual([secret, old]);

    await me().post(`/api/v1/webhook-secrets/${id}/expire`).expect(409);
    await me(other).post(`/api/v1/webhook-secrets/${id}/expire`).expect(404);
    await me().post(`/api/v1/webhook-secrets/${before.body.data[0].id}/expire`).expect(200);
    await me().post(`/api/v1/webhook-secrets/${before.body.data[0].id}/expire`).expect(404);
    expect(await currentSecrets(api.pool, api.app.get(Encryption), own.accountId)).toEqual([secret]);
    const wrong = await me().post('/api/v1/webhook-secrets/rotate').send({ overlap_hours: 169 });
    expect(wrong.body.errors).toEqual({ overlap_hours: ['The overlap hours field must be between 0 and 168.'] });
  });
});
