import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApi } from '../support/app.js';
import { anAgent, aWorkspace, type Workspace } from '../support/factories.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SHOP = 'https://shop.example.com';

let api: TestApi;
let own: Workspace;
let foreign: Workspace;

beforeAll(async () => {
  // No worker and no dialer: the calls stay pending.
  api = await TestApi.start();
  own = await aWorkspace(api.pool);
  foreign = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const create = (fields: object = {}, token = own.token) =>
  api
    .as(token)
    .post('/api/v1/web-calls')
    .send({ agent_id: own.agentId, ...fields });
const read = async (callId: string, token = own.token) => api.as(token).get(`/api/v1/calls/${callId}`);
const stored = async (callId: string) => {
  const text = 'SELECT w.*, c.settings FROM web_calls w JOIN calls c ON c.id = w.call_id WHERE w.call_id = $1';
  return (await api.pool.query<Record<string, unknown>>(text, [callId])).rows[0]!;
};

describe('creating a web call', () => {
  it('returns the address of its WebSocket and a token, which is stored as a hash', async () => {
    const { status, body } = await create({ metadata: { customer: 'c-1' }, max_seconds: 60 });
    expect(status).toBe(201);
    const { call_id: callId, url, token, expires_at: expires } = body.data;
    expect(callId).toMatch(UUID);
    expect(url).toBe(`${api.baseUrl.replace('http', 'ws')}/api/v1/web-calls/${callId}/audio`);
    expect(token).toMatch(/^[\w-]{32}$/);
    expect(Date.parse(expires) - Date.now()).toBeGreaterThan(50_000);
    const row = await stored(callId);
    expect(row).toMatchObject({ account_id: own.accountId, connected_at: null, max_seconds: 60, web_key_id: null });
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it('is an inbound call of the channel web, without number and trunk', async () => {
    const { body } = await create({ metadata: { customer: 'c-1' } });
    const { body: found } = await read(body.data.call_id);
    expect(found.data).toMatchObject({
      ...{
        status: 'pending',
        direction: 'inbound',
        channel: 'web',
        from_number: 'web',
        to_number: `web:${own.agentId}`,
      },
      ...{ number_id: null, trunk_id: null, metadata: { customer: 'c-1' }, scheduled_for: null, answered_at: null },
    });
  });

  it('checks the request as that of a call over the phone', async () => {
    const { status, body } = await create({ agent_id: 4_711, variables: 5, max_seconds: 5, record: 'yes' });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['variables', 'record', 'max_seconds']]);
    const unknown = await create({ agent_id: 4_711, version: 3 });
    expect(unknown.body.errors).toEqual({ agent_id: ['No agent 4711 in this account.'] });
    const others = await create({ agent_id: foreign.agentId });
    expect(others.body.errors).toEqual({ agent_id: [`No agent ${foreign.agentId} in this account.`] });
    const overrides = await create({ agent_overrides: { greeting: 'Hello {{nobody}}.', pitch: 3 } });
    expect(overrides.status).toBe(422);
    expect(Object.keys(overrides.body.errors)).toEqual(['agent_overrides.greeting']);
  });

  it('names missing variables of the agent', async () => {
    const variables = [{ name: 'order', type: 'text', required: true }];
    const agentId = await anAgent(api.pool, own.accountId);
    const changed = await api.as(own.token).patch(`/api/v1/agents/${agentId}`).send({ variables });
    expect(changed.status).toBe(200);
    const { status, body } = await create({ agent_id: agentId });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['metadata.order']]);
    expect((await create({ agent_id: agentId, variables: { order: '4711' } })).status).toBe(201);
  });

  it('tries a draft, and keeps its settings', async () => {
    const agent = `/api/v1/agents/${own.agentId}/versions`;
    const draft = await api.as(own.token).post(agent).send({ greeting: 'The draft speaks.' });
    expect(draft.status).toBe(201);
    const { version } = draft.body.data as { version: number };
    const { body } = await create({ version });
    expect((await read(body.data.call_id)).body.data.agent_version).toBe(version);
    const unknown = await create({ version: 99 });
    expect([unknown.status, unknown.body.errors]).toEqual([422, { version: ['This agent has no version 99.'] }]);
  });

  it('replaces settings of the agent for this call; max_seconds also limits a replaced length', async () => {
    const agent_overrides = { greeting: 'Unsaved.', max_call_seconds: 900 };
    const { body } = await create({ agent_overrides, max_seconds: 120 });
    const { settings } = await stored(body.data.call_id);
    expect(settings).toMatchObject({ agent: { greeting: 'Unsaved.', max_call_seconds: 120 } });
  });

  it('happens once for an Idempotency-Key, whose repetition returns the same token', async () => {
    const once = () => create({ metadata: { visit: 1 } }).set('Idempotency-Key', 'visit-1');
    const [first, second] = [await once(), await once()];
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotent-replayed']).toBe('true');
    const other = await create({ metadata: { visit: 2 } }).set('Idempotency-Key', 'visit-1');
    expect(other.status).toBe(409);
  });

  it('needs the scope calls:write', async () => {
    const issued = await api
      .as(own.token)
      .post('/api/v1/tokens')
      .send({ name: 'reader', scopes: ['calls:read'] });
    expect((await create({}, issued.body.data.token)).status).toBe(403);
    expect((await api.as().post('/api/v1/web-calls').send({})).status).toBe(401);
  });

  it('is not in the way of calls over the phone: it does not fill the queue of the account', async () => {
    const small = await aWorkspace(api.pool, { queued_calls: 1 });
    const web = () => create({ agent_id: small.agentId }, small.token);
    expect([(await web()).status, (await web()).status]).toEqual([201, 201]);
    const body = { to_number: 'sip:answer@127.0.0.1:5070', agent_id: small.agentId, number_id: small.numberId };
    expect((await api.as(small.token).post('/api/v1/calls').send(body)).status).toBe(201);
  });

  it('can be cancelled before its page connects', async () => {
    const { body } = await create();
    const cancelled = await api.as(own.token).post(`/api/v1/calls/${body.data.call_id}/cancel`);
    expect(cancelled.body.data).toMatchObject({ status: 'cancelled', channel: 'web' });
  });
});

describe('web calls in lists', () => {
  it('are listed with channel=web and channel=any, and read by their id; another account gets the 404 of a missing call', async () => {
    const account = await aWorkspace(api.pool);
    const web = await create({ agent_id: account.agentId }, account.token);
    const phone = await api
      .as(account.token)
      .post('/api/v1/calls')
      .send({ to_number: 'sip:answer@127.0.0.1:5070', agent_id: account.agentId, number_id: account.numberId });
    const [webId, phoneId] = [web.body.data.call_id, phone.body.data.call_id];
    const listed = async (query: string) => {
      const { body } = await api.as(account.token).get(`/api/v1/calls?${query}`);
      return body.data.map((call: { call_id: string }) => call.call_id);
    };
    expect(await listed('')).toEqual([phoneId]);
    expect(await listed('channel=phone')).toEqual([phoneId]);
    expect(await listed('channel=web')).toEqual([webId]);
    expect(await listed('channel=any')).toEqual([phoneId, webId]);
    expect(await listed('channel=any&scheduled=false')).toEqual([phoneId, webId]);
    expect(await listed('channel=any&scheduled=true')).toEqual([]);
    expect(await listed('channel=web&direction=inbound&status=pending&pagination=cursor')).toEqual([webId]);
    const wrong = await api.as(account.token).get('/api/v1/calls?channel=fax');
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['channel']]);
    expect((await read(webId, account.token)).status).toBe(200);
    expect((await read(webId, own.token)).status).toBe(404);
  });
});

describe('a web key', () => {
  const aKey = async (fields: object = {}, account = own) => {
    const body = { name: 'shop', agent_id: account.agentId, origins: [SHOP], ...fields };
    const { status, body: made } = await api.as(account.token).post('/api/v1/web-keys').send(body);
    expect([status, made.message]).toEqual([201, 'Web key created successfully.']);
    return made.data as { id: number; key: string };
  };
  const call = (key: string, body: object = {}, origin: string | null = SHOP) => {
    const sent = api.as(key).post('/api/v1/web-calls');
    return (origin === null ? sent : sent.set('Origin', origin)).send(body);
  };

  it('lets a page of its origins call its agent, with the variables that it allows', async () => {
    const { id, key } = await aKey({ max_seconds: 90 });
    const { status, body, headers } = await call(key);
    expect([status, headers['access-control-allow-origin']]).toEqual([201, SHOP]);
    expect(await stored(body.data.call_id)).toMatchObject({ web_key_id: id, origin: SHOP, max_seconds: 90 });
    const used = await api.as(own.token).get(`/api/v1/web-keys/${id}`);
    expect(used.body.data.last_used_at).not.toBeNull();
  });

  it.each([
    ['another agent', { agent_id: 4_711 }, 'agent_id'],
    ['a version', { version: 1 }, 'version'],
    ['settings of the agent', { agent_overrides: { greeting: 'Mine.' } }, 'agent_overrides'],
    ['metadata, which could give variables', { metadata: { order: 1 } }, 'metadata'],
    ['a call that is not recorded', { record: false }, 'record'],
    ['a variable that it does not allow', { variables: { order: 1 } }, 'variables.order'],
  ])('does not let a page choose %s', async (_title, fields, field) => {
    const { key } = await aKey();
    const { status, body } = await call(key, fields);
    expect([status, Object.keys(body.errors), body.codes[field]]).toEqual([422, [field], ['not_allowed']]);
  });

  it('is worth nothing elsewhere: other origins, no origin, other routes', async () => {
    const { key } = await aKey();
    for (const origin of ['https://evil.example.com', 'http://shop.example.com', `${SHOP}:8443`, 'null', null]) {
      const { status, headers } = await call(key, {}, origin);
      expect([origin, status, headers['access-control-allow-origin']]).toEqual([origin, 403, undefined]);
    }
    for (const path of ['calls', 'agents', 'web-keys']) {
      const { status } = await api.as(key).get(`/api/v1/${path}`).set('Origin', SHOP);
      expect([path, status]).toEqual([path, 401]);
    }
    const { rows } = await api.pool.query(`SELECT 1 FROM web_calls WHERE origin = 'https://evil.example.com'`);
    expect(rows).toEqual([]);
  });

  it('answers the preflight of its origins only', async () => {
    await aKey();
    const ask = (origin: string, path = 'web-calls') =>
      api.as().options(`/api/v1/${path}`).set({ Origin: origin, 'Access-Control-Request-Method': 'POST' });
    const allowed = await ask(SHOP);
    expect([allowed.status, allowed.headers]).toEqual([
      204,
      expect.objectContaining({
        'access-control-allow-origin': SHOP,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'Authorization, Content-Type',
      }),
    ]);
    expect((await ask('https://evil.example.com')).headers['access-control-allow-origin']).toBeUndefined();
    expect((await ask(SHOP, 'calls')).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('limits the calls of an address in a minute, and those at once', async () => {
    const { key } = await aKey({ calls_per_minute: 2 });
    const sent = [await call(key), await call(key), await call(key)];
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(Number(sent[2]!.headers['retry-after'])).toBeGreaterThan(0);
    const { key: narrow } = await aKey({ concurrent_calls: 1 });
    const together = await Promise.all([call(narrow), call(narrow), call(narrow)]);
    expect(together.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 429, 429]);
  });

  it('stops when its calls of a day have cost what they may', async () => {
    const { key } = await aKey({ daily_spend_usd: 0.5 });
    const first = await call(key);
    await api.pool.query(
      `UPDATE calls SET cost_micros = 500000, status = 'completed', ended_at = now() WHERE id = $1`,
      [first.body.data.call_id],
    );
    const { status, body } = await call(key);
    expect([status, body.message]).toEqual([429, expect.stringMatching(/daily limit/)]);
  });

  it('ends with its revocation, and shows the same 401 as an unknown one', async () => {
    const { id, key } = await aKey();
    expect((await api.as(own.token).delete(`/api/v1/web-keys/${id}`)).status).toBe(200);
    const [revoked, unknown] = [await call(key), await call(`pk_${'x'.repeat(32)}`)];
    expect([revoked.status, revoked.body]).toEqual([401, unknown.body]);
    const changed = await api.as(own.token).patch(`/api/v1/web-keys/${id}`).send({ name: 'again' });
    expect(changed.status).toBe(409);
  });

  it('is administered by its account alone, and each change is in the audit log', async () => {
    const { id } = await aKey();
    const place = `/api/v1/web-keys/${id}`;
    const changed = await api
      .as(own.token)
      .patch(place)
      .send({ origins: [SHOP, 'http://localhost:3000'], max_seconds: 30 });
    expect(changed.body.data).toMatchObject({
      origins: [SHOP, 'http://localhost:3000'],
      max_seconds: 30,
      name: 'shop',
    });
    for (const refused of [
      await api.as(foreign.token).get(place),
      await api.as(foreign.token).patch(place).send({ name: 'mine' }),
      await api.as(foreign.token).delete(place),
    ])
      expect([refused.status, refused.body]).toEqual([404, { message: 'Web key not found.' }]);
    expect((await api.as(foreign.token).get('/api/v1/web-keys')).body.data).toEqual([]);
    await api.as(own.token).delete(place);
    const { body } = await api.as(own.token).get(`/api/v1/audit-events?subject=web_key:${id}`);
    expect(body.data.map((event: { action: string }) => event.action)).toEqual([
      'web_key.revoked',
      'web_key.updated',
      'web_key.created',
    ]);
  });

  it.each([
    ['a path', { origins: ['https://shop.example.com/cart'] }, 'origins.0'],
    ['a wildcard', { origins: ['*'] }, 'origins.0'],
    ['another scheme', { origins: ['ftp://shop.example.com'] }, 'origins.0'],
    ['no origin', { origins: [] }, 'origins'],
    ['an agent of another account', { agent_id: 4_711 }, 'agent_id'],
    ['no calls', { concurrent_calls: 0 }, 'concurrent_calls'],
  ])('is refused with %s', async (_title, fields, field) => {
    const body = { name: 'shop', agent_id: own.agentId, origins: [SHOP], ...fields };
    const { status, body: refused } = await api.as(own.token).post('/api/v1/web-keys').send(body);
    expect([status, Object.keys(refused.errors)]).toEqual([422, [field]]);
  });
});

it('a request that offers h2c, as Java and curl do, is answered over HTTP/1.1', async () => {
  const { status } = await api
    .as(own.token)
    .get('/api/v1/calls')
    .set({ Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' });
  expect(status).toBe(200);
});
