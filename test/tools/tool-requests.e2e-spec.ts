import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { eventually } from '../support/eventually.js';
import type { Workspace } from '../support/factories.js';
import { freePort } from '../support/free-port.js';
import { Service } from '../support/service.js';
import { aTool, errorsOf } from '../support/tools-environment.js';
import { type ReceiverAnswer, WebhookReceiver } from '../support/webhook-receiver.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** The answer of the endpoint by path; other paths echo the request. */
const ANSWERS: Record<string, ReceiverAnswer> = {
  '/slow': () => undefined,
  '/fails': (_, response) => response.writeHead(500, JSON_TYPE).end('{"error":"no stock"}'),
  '/redirects': (_, response) => response.writeHead(302, { location: 'http://10.11.12.13/' }).end(),
  '/floods': (_, response) => response.end(Buffer.alloc(1_000_000, 'x')),
  '/closes': (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  },
  '/compressed': (_, response) =>
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(gzipSync('{}')),
  '/text': (_, response) => response.writeHead(200, JSON_TYPE).end('{"ok": tru'),
  '/latin': (_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=ISO-8859-1' }).end(Buffer.from('Größe L', 'latin1')),
  '/empty': (_, response) => response.writeHead(204).end(),
};

const service = Service.get();
let endpoint: WebhookReceiver;
let own: Workspace;
let path: string;
let secret: string;

beforeAll(async () => {
  endpoint = await WebhookReceiver.start();
  const echo: ReceiverAnswer = ({ method, body }, response) =>
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ method, got: body === '' ? null : JSON.parse(body) }));
  endpoint.answer = (request, response) => (ANSWERS[request.path] ?? echo)(request, response);
  own = await service.account();
  path = `/api/v1/agents/${own.agentId}/tools`;
  const rotated = await service.as(own.token).post('/api/v1/webhook-secrets/rotate').send({});
  secret = rotated.body.data.secret as string;
});
afterAll(async () => {
  await Promise.all([service.close(), endpoint?.close()]);
});

const at = (where: string) => endpoint.received.filter((one) => one.path === where);
const created = async (actions: object[], parameters?: object, token = own.token, where = path): Promise<number> => {
  const named = actions.map((action, index) => ({ name: `action_${index + 1}`, ...action }));
  const answer = await service
    .as(token)
    .post(where)
    .send(aTool({ parameters, webhook_actions: named }));
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body.data.id as number;
};
const invoke = (id: number, body: object = { arguments: {} }) =>
  service.as(own.token).post(`${path}/${id}/invoke`).send(body);
/** The result of a new tool with these actions. */
const resultOf = async (actions: object[], args: object = {}) =>
  (await invoke(await created(actions), { arguments: args })).body.data;

describe('a trial invocation of a tool', () => {
  it('sends arguments and metadata in URL, query, payload and headers, signed', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' }, count: { type: 'integer' } } };
    const id = await created(
      [
        {
          url: `${endpoint.url('/weather/{{args.city}}')}?tier={{metadata.tier}}`,
          method: 'PUT',
          payload: { count: '{{args.count}}', who: 'for {{agent.id}}', call: '{{call.call_id}}' },
          headers: { 'X-City': 'in {{args.city}}' },
          query_params: { list: ['a', '{{args.count}}', null] },
        },
      ],
      parameters,
    );
    const { status, body } = await invoke(id, { arguments: { city: 'a/7', count: 3 }, metadata: { tier: 'gold' } });
    const got = { count: 3, who: `for ${own.agentId}`, call: null };
    expect([status, body.data]).toMatchObject([200, { ok: true, result: { action_1: { method: 'PUT', got } } }]);
    const [request] = at('/weather/a%2F7');
    expect([...request!.query]).toEqual([
      ['tier', 'gold'],
      ['list', 'a'],
      ['list', '3'],
    ]);
    expect(request!.headers).toMatchObject({ 'x-city': 'in a/7', 'webhook-id': body.data.actions[0].id });
    expect(new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>)).toEqual(got);
  });

  it('sends name and arguments without a payload; GET and DELETE in the query, signed without a body', async () => {
    const actions = ['POST', 'GET', 'DELETE'].map((method) => ({ url: endpoint.url('/plain'), method }));
    const { result } = await resultOf(actions, { city: 'Köln', near: { km: 5 } });
    expect(result).toMatchObject({
      action_1: { got: { arguments: { city: 'Köln', near: { km: 5 } }, call_id: null, agent_id: own.agentId } },
      action_2: { method: 'GET', got: null },
      action_3: { method: 'DELETE', got: null },
    });
    for (const { query, headers } of at('/plain').filter(({ method }) => method !== 'POST')) {
      expect(Object.fromEntries(query)).toEqual({ city: 'Köln', near: '{"km":5}' });
      const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000);
      expect(headers['webhook-signature']).toBe(new Webhook(secret).sign(String(headers['webhook-id']), sentAt, ''));
    }
  });

  it('is refused for arguments that the schema does not allow, by their paths, and sends nothing', async () => {
    const address = { type: 'object', properties: { zip: { type: 'integer' } } };
    const parameters = { type: 'object', properties: { city: { type: 'string' }, address }, required: ['city'] };
    const id = await created([{ url: endpoint.url('/never') }], parameters);
    expect(errorsOf(await invoke(id, { arguments: { address: { zip: 'x' } } }))).toEqual({
      'arguments.city': 'The arguments.city field is required.',
      'arguments.address.zip': 'The arguments.address.zip field must be integer.',
    });
    expect(Object.keys(errorsOf(await invoke(id, { arguments: [] })))).toEqual(['arguments']);
    expect(Object.keys(errorsOf(await invoke(id, { arguments: { city: 'x' }, metadata: 'x' })))).toEqual(['metadata']);
    expect(at('/never')).toEqual([]);
  });

  it('accepts arguments and metadata with any name, including names of Object.prototype, and a tool that is not active', async () => {
    const parameters = { type: 'object', properties: { toString: { type: 'string' } }, required: ['toString'] };
    const payload = { a: '{{args}}', m: '{{metadata}}' };
    const id = await created([{ url: endpoint.url('/names'), payload }], parameters);
    await service.as(own.token).put(`${path}/${id}`).send({ is_active: false }).expect(200);
    const given = { toString: 'x', valueOf: { hasOwnProperty: 1 } };
    const { status, body } = await invoke(id, { arguments: given, metadata: given });
    expect([status, body.data?.result]).toMatchObject([200, { action_1: { got: { a: given, m: given } } }]);
  });

  it('is refused when four are in progress', async () => {
    const held: ServerResponse[] = [];
    ANSWERS['/held'] = (_, response) => void held.push(response);
    const id = await created([{ url: endpoint.url('/held') }]);
    const four = Array.from({ length: 4 }, () => invoke(id).then(({ status }) => status));
    await endpoint.until(() => held.length === 4);
    expect((await invoke(id)).status).toBe(429);
    for (const response of held) response.end();
    expect(await Promise.all(four)).toEqual([200, 200, 200, 200]);
  });

  it('sends nothing when a value cannot be a part of the path', async () => {
    for (const id of ['', '..', undefined]) {
      const { ok, result } = await resultOf([{ url: endpoint.url('/users/{{args.id}}'), method: 'DELETE' }], { id });
      expect([ok, result]).toMatchObject([false, { action_1: { error: { code: 'unusable_value' } } }]);
    }
    expect(endpoint.received.filter((one) => one.path.startsWith('/users'))).toEqual([]);
  });
});

describe('an endpoint', () => {
  it.each<[string, string, object]>([
    ['does not answer in time', '/slow', { error: { code: 'timeout' } }],
    ['answers with an error', '/fails', { error: { code: 'http_error', status: 500, answer: '{"error":"no stock"}' } }],
    ['redirects', '/redirects', { error: { code: 'http_error', status: 302 } }],
    ['answers too much', '/floods', { error: { code: 'answer_too_large', status: 200 } }],
    ['closes the connection early', '/closes', { error: { code: 'connection_failed' } }],
    ['answers compressed', '/compressed', { error: { code: 'unreadable_answer', status: 200 } }],
  ])('that %s is a failed action with a code; the next one is sent', async (_, where, expected) => {
    const {
      ok,
      result,
      invocation_id: id,
    } = await resultOf([
      { url: endpoint.url(where), timeout_seconds: 1, headers: { 'X-Api-Key': 'open-sesame' } },
      { url: endpoint.url('/next') },
    ]);
    expect([ok, result]).toMatchObject([false, { action_1: expected, action_2: { method: 'POST' } }]);
    const { body } = await service.as(own.token).get(`/api/v1/tool-invocations/${id}`);
    expect(body.data).toMatchObject({ ok: false, source: 'invoke', call_id: null });
    expect(body.data.actions.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['failed', 'succeeded']);
    expect(JSON.stringify(body)).not.toContain('open-sesame');
  });

  it('that does not listen is connection_failed, without its address', async () => {
    const { result } = await resultOf([{ url: `http://127.0.0.1:${await freePort()}/x` }]);
    expect(result.action_1.error.code).toBe('connection_failed');
    expect(result.action_1.error.message).not.toContain('127.0.0.1');
  });

  it.each<[string, string, unknown]>([
    ['invalid JSON is text', '/text', '{"ok": tru'],
    ['text in another charset is read', '/latin', 'Größe L'],
    ['no content is null', '/empty', null],
  ])('may answer with %s', async (_, where, expected) =>
    expect(await resultOf([{ url: endpoint.url(where) }])).toMatchObject({ ok: true, result: { action_1: expected } }),
  );

  it('gets nothing from an account without a webhook secret', async () => {
    const unsigned = await service.account();
    const where = `/api/v1/agents/${unsigned.agentId}/tools`;
    const id = await created([{ url: endpoint.url('/unsigned') }], undefined, unsigned.token, where);
    const { body } = await service.as(unsigned.token).post(`${where}/${id}/invoke`).send({ arguments: {} });
    expect(body.data.result).toMatchObject({ action_1: { error: { code: 'not_signed' } } });
    expect(at('/unsigned')).toEqual([]);
  });
});

describe('a queued action', () => {
  it('is retried with the same id after a failure, and becomes succeeded', async () => {
    let failures = 1;
    ANSWERS['/queued'] = (_, response) => response.writeHead(failures-- > 0 ? 503 : 200).end();
    const payload = { n: '{{args.n}}' };
    const told = await resultOf([{ url: endpoint.url('/queued'), wait_response: false, payload }], { n: 5 });
    expect([told.ok, told.result]).toEqual([true, { action_1: { queued: true } }]);
    await endpoint.until(() => at('/queued').length === 2);
    const id = told.actions[0].id as string;
    expect(at('/queued').map(({ headers, body }) => [headers['webhook-id'], headers['webhook-attempt'], body])).toEqual(
      [
        [id, '1', '{"n":5}'],
        [id, '2', '{"n":5}'],
      ],
    );
    const where = `/api/v1/tool-invocations/${told.invocation_id as string}`;
    const { body } = await eventually(
      () => service.as(own.token).get(where),
      (answer) => answer.body.data.actions[0].outcome === 'succeeded',
    );
    expect(body.data.actions[0].attempts).toMatchObject([{ status: 503 }, { status: 200 }]);
    const deliveries = await service.as(own.token).get('/api/v1/webhook-deliveries?type=tool-action');
    expect(deliveries.body.data).toMatchObject([
      { id, state: 'delivered', invocation_id: told.invocation_id, call_id: null },
    ]);
    await service.as(own.token).post(`/api/v1/webhook-deliveries/${id}/replay`).expect(202);
    await endpoint.until(() => at('/queued').length === 3);
    const [first, , replayed] = at('/queued');
    expect([replayed!.method, replayed!.body]).toEqual([first!.method, first!.body]);
    expect(replayed!.headers).toMatchObject({ 'webhook-id': id, 'idempotency-key': id, 'webhook-attempt': '3' });
  });
});

describe('the list of invocations', () => {
  it('is paged, newest first, and filtered by tool, state, call and time', async () => {
    const caller = await service.account();
    await service.as(caller.token).post('/api/v1/webhook-secrets/rotate').send({});
    const where = `/api/v1/agents/${caller.agentId}/tools`;
    const ids: { tool: number; invocation: string }[] = [];
    for (const url of ['/works', '/fails', '/works']) {
      const tool = await created([{ url: endpoint.url(url) }], undefined, caller.token, where);
      const { body } = await service.as(caller.token).post(`${where}/${tool}/invoke`).send({ arguments: {} });
      ids.unshift({ tool, invocation: body.data.invocation_id as string });
    }
    const list = async (query: string) =>
      (await service.as(caller.token).get(`/api/v1/tool-invocations?${query}`)).body;
    const found = async (query: string) =>
      (await list(query)).data.map(({ invocation_id: id }: { invocation_id: string }) => id);
    const all = ids.map(({ invocation }) => invocation);
    expect(await found('')).toEqual(all);
    expect(await found('state=failed')).toEqual([all[1]]);
    expect(await found(`tool_id=${ids[0]!.tool}`)).toEqual([all[0]]);
    expect(await found('call_id=019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33')).toEqual([]);
    const { started_at: time } = (await list('')).data[1] as { started_at: string };
    expect(await found(`date_from=${encodeURIComponent(time)}`)).toEqual(all.slice(0, 2));
    expect(await found('per_page=2&page=2')).toEqual([all[2]]);
    const slice = await list('pagination=cursor&per_page=2');
    expect(await found(new URL(slice.links.next as string).search.slice(1))).toEqual([all[2]]);
    expect(Object.keys((await list('state=lost')).errors as object)).toEqual(['state']);
  });
});
