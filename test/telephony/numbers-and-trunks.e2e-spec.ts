import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aToken, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const NUMBERS = '/api/v1/numbers';
const TRUNKS = '/api/v1/trunks';

const service = Service.get();
let own: Workspace;
let other: Workspace;

beforeAll(async () => {
  [own, other] = await Promise.all([service.account(), service.account()]);
});
afterAll(() => service.close());

const me = () => service.as(own.token);
const withScopes = async (...scopes: string[]) => service.as(await aToken(service.pool, own.accountId, scopes));

describe('a phone number', () => {
  it('is created in E.164, read, listed, changed and deleted', async () => {
    const fields = { e164: '+1 (555) 600-0001', name: 'support', agent_id: own.agentId };
    const made = await me().post(NUMBERS).send(fields);
    expect([made.status, made.body]).toEqual([
      201,
      {
        message: 'Number created successfully.',
        data: expect.objectContaining({ e164: '+15556000001', name: 'support', agent_id: own.agentId, active: true }),
      },
    ]);
    const path = `${NUMBERS}/${made.body.data.id}`;
    expect((await me().get(path)).body.data).toEqual(made.body.data);
    expect((await me().get(NUMBERS)).body.data.map(({ id }: { id: number }) => id)).toContain(made.body.data.id);
    const changed = await me().patch(path).send({ agent_id: null, active: false });
    expect(changed.body.data).toMatchObject({ name: 'support', agent_id: null, active: false });
    const order = { to_number: 'sip:a@127.0.0.1', agent_id: own.agentId, number_id: made.body.data.id };
    const refused = await me().post('/api/v1/calls').send(order);
    expect(refused.body.errors).toEqual({ number_id: [`The number ${made.body.data.id} is not active.`] });
    expect((await me().delete(path)).body).toEqual({ message: 'Number deleted successfully.' });
    const gone = await me().get(path);
    expect([gone.status, gone.body]).toEqual([404, { message: 'Number not found.' }]);
  });

  it.each([
    ['no number', {}, 'e164'],
    ['a national number', { e164: '0301234' }, 'e164'],
    ['an unknown agent', { e164: '+15556100001', agent_id: 2_000_000_000 }, 'agent_id'],
    ['a number as name', { e164: '+15556100001', name: 7 }, 'name'],
    ['hours in an unknown time zone', { e164: '+15556100001', hours: { time_zone: 'Mars' } }, 'hours.time_zone'],
  ])('with %s is refused on the field', async (_, fields, field) => {
    const { status, body } = await me().post(NUMBERS).send(fields);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it('has business hours, a closed action and a queue, which are replaced as a whole and removed by null', async () => {
    const made = (await me().post(NUMBERS).send({ e164: '+15556400001' })).body.data;
    expect(made.name).toBe('+15556400001');
    const patch = async (fields: object) => (await me().patch(`${NUMBERS}/${made.id}`).send(fields)).body.data;
    const hours = { time_zone: 'Asia/Kolkata', windows: [{ days: ['monday'], from: '22:00', to: '06:00' }] };
    const closed = { action: 'say_and_hang_up', message: ' Closed. ', language: 'en' };
    expect(await patch({ hours, closed, queue: { announce: { language: 'de' } } })).toMatchObject({
      hours: { ...hours, excluded_dates: [] },
      closed: { action: 'say_and_hang_up', message: 'Closed.', language: 'en', agent_id: null },
      queue: {
        ...{ enabled: true, max_waiting: 20, max_wait_seconds: 300, music: true },
        announce: { position: true, every_seconds: 30, message: null, language: 'de' },
        on_timeout: { action: 'hang_up', to_number: null, message: null },
      },
    });
    const transfer = { action: 'transfer', to_number: '+1 (202) 555-0100', message: ' All busy. ' };
    expect((await patch({ queue: { on_timeout: transfer } })).queue.on_timeout).toEqual({
      action: 'transfer',
      to_number: '+12025550100',
      message: 'All busy.',
    });
    const night = { action: 'agent', agent_id: own.agentId };
    expect(await patch({ closed: night, queue: { max_waiting: 1 } })).toMatchObject({
      hours: { time_zone: 'Asia/Kolkata' },
      closed: { ...night, message: null, language: null },
      queue: { max_waiting: 1, announce: { language: null } },
    });
    const none = { hours: null, closed: null, queue: null };
    expect(await patch(none)).toMatchObject(none);
  });

  it("with another account's agent is refused, and is unique only in its account", async () => {
    const e164 = '+15556200001';
    const foreign = await me().post(NUMBERS).send({ e164, agent_id: other.agentId });
    expect(foreign.body.errors).toEqual({ agent_id: [`No agent ${other.agentId} in this account.`] });
    expect((await me().post(NUMBERS).send({ e164 })).status).toBe(201);
    const again = await me().post(NUMBERS).send({ e164, name: 'again' });
    expect([again.status, Object.keys(again.body.errors)]).toEqual([422, ['e164']]);
    expect((await service.as(other.token).post(NUMBERS).send({ e164 })).status).toBe(201);
  });

  it('belongs to its account and needs its scopes', async () => {
    const path = `${NUMBERS}/${own.numberId}`;
    const theirs = service.as(other.token);
    expect((await theirs.get(path)).status).toBe(404);
    expect((await theirs.patch(path).send({ name: 'x' })).status).toBe(404);
    expect((await theirs.delete(path)).status).toBe(404);
    const reader = await withScopes('numbers:read');
    expect((await reader.get(path)).status).toBe(200);
    expect((await reader.patch(path).send({ name: 'x' })).status).toBe(403);
    expect((await reader.post(NUMBERS).send({ e164: '+15556300001' })).status).toBe(403);
    expect((await (await withScopes('calls:read')).get(NUMBERS)).status).toBe(403);
    expect((await service.as().get(path)).status).toBe(401);
  });
});

describe('a trunk', () => {
  let names = 0;
  const post = (fields: object) =>
    me()
      .post(TRUNKS)
      .send({ name: `trunk ${(names += 1)}`, host: 'sip.example.net', options_ping_seconds: 0, ...fields });
  const patch = (id: number, fields: object) => me().patch(`${TRUNKS}/${id}`).send(fields);

  it('is created, changed field by field and deleted, without ever showing its secrets', async () => {
    const made = await post({
      ...{ port: 5062, username: 'acme', password: 'pa55word-1', codecs: ['PCMA'], concurrent_calls: 3 },
      inbound: { username: 'in', password: 'pa55word-2' },
    });
    expect([made.status, made.body.data]).toEqual([
      201,
      expect.objectContaining({
        ...{ username: 'acme', has_password: true, codecs: ['PCMA'], concurrent_calls: 3 },
        targets: [expect.objectContaining({ host: 'sip.example.net', port: 5062 })],
        inbound: expect.objectContaining({ username: 'in', has_password: true }),
      }),
    ]);
    const path = `${TRUNKS}/${made.body.data.id}`;
    const changed = await me()
      .patch(path)
      .send({ concurrent_calls: null, inbound: { enabled: false } });
    expect(changed.body.data).toMatchObject({
      ...{ username: 'acme', has_password: true, concurrent_calls: null },
      inbound: { enabled: false, username: 'in', has_password: true },
    });
    const listed = await me().get(TRUNKS);
    expect(listed.body.data.map(({ id }: { id: number }) => id)).toContain(made.body.data.id);
    expect(JSON.stringify([made.body, changed.body, listed.body])).not.toContain('pa55word');
    expect((await me().delete(path)).status).toBe(200);
    expect((await me().get(path)).status).toBe(404);
  });

  it.each([
    ['no host', { host: undefined }, 'host'],
    ['host and targets', { targets: [{ host: 'a.example.net' }] }, 'host'],
    ['an internal host', { host: '10.1.2.3' }, 'host'],
    [
      'an internal target',
      { host: undefined, targets: [{ host: 'a.example.net' }, { host: '192.168.0.1' }] },
      'targets.1.host',
    ],
    ['a wrong port of a target', { host: undefined, targets: [{ host: 'a.example.net', port: 0 }] }, 'targets.0.port'],
    ['an unknown codec', { codecs: ['opus'] }, 'codecs.0'],
    ['the path of a key', { transport: 'tls', tls: { ca: { file: '/etc/passwd' } } }, 'tls.ca'],
    ['a header that proxies interpret', { headers: { Route: 'x' } }, 'headers.Route'],
  ])('with %s is refused on the field', async (_, fields, field) => {
    const { status, body } = await post(fields);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it('sends its stored password to no other host: the password must be given again', async () => {
    const { id } = (await post({ username: 'acme', password: 'first' })).body.data as { id: number };
    for (const fields of [
      { host: 'evil.example.net' },
      { port: 5099 },
      { transport: 'tcp' },
      { targets: [{ host: 'sip.example.net' }, { host: 'evil.example.net' }] },
    ]) {
      const { status, body } = await patch(id, fields);
      expect([fields, status, Object.keys(body.errors ?? {})]).toEqual([fields, 422, ['password']]);
    }
    expect((await patch(id, { from_domain: 'acme.example.net' })).body.data).toMatchObject({ has_password: true });
    expect((await patch(id, { host: 'new.example.net', password: 'second' })).status).toBe(200);
    const dropped = await patch(id, { host: 'other.example.net', password: null });
    expect(dropped.body.data).toMatchObject({ has_password: false });
  });

  it('moves from a host to targets and back', async () => {
    const { id } = (await post({ port: 5070 })).body.data as { id: number };
    const targets = ['b', 'a'].map((name, at) => ({ host: `${name}.example.net`, priority: 2 - at }));
    const many = await patch(id, { targets });
    expect(many.body.data.targets).toMatchObject([{ host: 'a.example.net' }, { host: 'b.example.net' }]);
    const one = await patch(id, { host: 'c.example.net' });
    expect(one.body.data.targets).toMatchObject([{ host: 'c.example.net', port: null, transport: 'udp' }]);
  });

  it('and a number are created once for an Idempotency-Key', async () => {
    for (const [path, body] of [
      [TRUNKS, { name: 'once', host: 'sip.example.net' }],
      [NUMBERS, { e164: '+15556500001' }],
    ] as const) {
      const send = (fields: object) =>
        me().post(path).set('Idempotency-Key', `once-${own.accountId}-${path}`).send(fields);
      const [first, second] = [await send(body), await send(body)];
      expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
      expect(second.headers['idempotent-replayed']).toBe('true');
      expect((await send({ ...body, name: 'another' })).status).toBe(409);
    }
  });

  it('belongs to its account and needs its scopes; addresses of carriers are for operators', async () => {
    const path = `${TRUNKS}/${own.trunkId}`;
    const theirs = service.as(other.token);
    expect((await theirs.get(path)).status).toBe(404);
    expect((await theirs.patch(path).send({ name: 'x' })).status).toBe(404);
    expect((await theirs.post(`${path}/test`)).status).toBe(404);
    expect((await theirs.delete(path)).status).toBe(404);
    const reader = await withScopes('trunks:read');
    expect((await reader.get(path)).status).toBe(200);
    expect((await reader.patch(path).send({ name: 'x' })).status).toBe(403);
    expect((await reader.delete(path)).status).toBe(403);
    const tenant = await withScopes('trunks:read', 'trunks:write');
    const inbound = { inbound: { addresses: ['203.0.113.0/24'] } };
    const liveKit = { livekit_trunk_id: 'ST_abc123' };
    const refused = await tenant.patch(path).send({ ...inbound, ...liveKit });
    expect([refused.status, Object.keys(refused.body.errors ?? {}).toSorted()]).toEqual([
      422,
      ['inbound.addresses', 'livekit_trunk_id'],
    ]);
    expect((await me().patch(path).send(inbound)).status).toBe(200);
    expect((await tenant.patch(path).send({ inbound: { enabled: false } })).status).toBe(200);
    const more = { inbound: { addresses: ['203.0.113.0/24', '198.51.100.0/24'] } };
    expect((await tenant.patch(path).send(more)).status).toBe(422);
  });
});
