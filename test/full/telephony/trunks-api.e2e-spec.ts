import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Encryption } from '@app/common';
import { InProcessApi } from '../../support/in-process-api.js';
import { aCall, aToken, aWorkspace, type Workspace } from '../../support/factories.js';

let api: InProcessApi;
let own: Workspace;
/** Without account:write. */
let tenant: string;

beforeAll(async () => {
  // Nothing but public addresses, as in production.
  api = await InProcessApi.start({ SIP_ALLOW_CIDRS: '' });
  own = await aWorkspace(api.pool);
  tenant = await aToken(api.pool, own.accountId, ['trunks:read', 'trunks:write', 'audit:read']);
});
afterAll(() => api?.stop());

const path = '/api/v1/trunks';
let last = 0;
const aName = (): string => `trunk by API ${(last += 1)}`;

const post = (fields: object, token = tenant) =>
  api
    .as(token)
    .post(path)
    .send({ name: aName(), host: 'sip.example.net', ...fields });
const patch = (id: number, fields: object, token = tenant) => api.as(token).patch(`${path}/${id}`).send(fields);

async function created(fields: object = {}, token = tenant): Promise<{ id: number }> {
  const { status, body } = await post(fields, token);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data as { id: number };
}

async function passwordOf(id: number): Promise<string | null> {
  const { rows } = await api.pool.query<{ password_sealed: Buffer | null }>(
    'SELECT password_sealed FROM sip_trunks WHERE id = $1',
    [id],
  );
  const sealed = rows[0]?.password_sealed ?? null;
  return sealed && api.app.get(Encryption).decrypt(sealed, 'trunk-password');
}

describe('a trunk over REST', () => {
  it('is created, changed field by field and deleted, without ever showing its secrets', async () => {
    const made = await post({
      host: 'sip.example.net',
      port: 5062,
      username: 'acme',
      password: 'pa55word-1',
      codecs: ['PCMA'],
      srtp: 'optional',
      headers: { 'X-Order': 'order' },
      dial_formats: { extensions: { max_digits: 4 } },
      inbound: { username: 'in', password: 'pa55word-2' },
      concurrent_calls: 3,
    });
    expect([made.status, made.body.data]).toEqual([
      201,
      expect.objectContaining({
        username: 'acme',
        has_password: true,
        codecs: ['PCMA'],
        srtp: 'optional',
        inbound: { enabled: true, addresses: [], username: 'in', has_password: true },
        dial_formats: { extensions: { min_digits: 2, max_digits: 4 } },
        concurrent_calls: 3,
      }),
    ]);
    expect(made.body.data.targets).toEqual([expect.objectContaining({ host: 'sip.example.net', port: 5062 })]);
    const { id } = made.body.data as { id: number };
    const changed = await patch(id, { concurrent_calls: null, inbound: { enabled: false } });
    expect(changed.body.data).toMatchObject({
      username: 'acme',
      has_password: true,
      concurrent_calls: null,
      inbound: { enabled: false, username: 'in', has_password: true },
    });
    const events = await api.as(tenant).get(`/api/v1/audit-events?subject=trunk:${id}`);
    expect(events.body.data[0]).toMatchObject({
      action: 'trunk.updated',
      details: { changed: ['concurrent_calls', 'inbound_enabled'] },
    });
    expect(JSON.stringify([made.body, changed.body, events.body])).not.toMatch(/pa55word/);
    expect((await api.as(tenant).delete(`${path}/${id}`)).body).toEqual({ message: 'Trunk deleted successfully.' });
    expect((await api.as(tenant).get(`${path}/${id}`)).status).toBe(404);
  });

  it.each([
    ['no host', { host: undefined }, 'host'],
    ['host and targets', { targets: [{ host: 'a.example.net' }] }, 'host'],
    ['a wrong port of a target', { host: undefined, targets: [{ host: 'a.example.net', port: 0 }] }, 'targets.0.port'],
    ['an unknown codec', { codecs: ['opus'] }, 'codecs.0'],
    ['TLS without a target that uses it', { tls: { server_name: 'a.example.net' } }, 'tls'],
    ['the path of a key', { transport: 'tls', tls: { ca: { file: '/etc/passwd' } } }, 'tls.ca'],
    ['a certificate that is none', { transport: 'tls', tls: { ca: '-----BEGIN CERTIFICATE-----' } }, 'tls.ca'],
    ['a short inbound password', { inbound: { username: 'a', password: 'short' } }, 'inbound.password'],
    ['a header that proxies interpret', { headers: { Route: 'x' } }, 'headers.Route'],
  ])('with %s is refused on the field', async (_, fields, field) => {
    const { status, body } = await post(fields);
    expect([status, Object.keys(body.errors as object)]).toEqual([422, [field]]);
  });

  it('reports nested fields that do not exist, and ignores them', async () => {
    const answer = await post({ inbound: { username: 'in2', password: 'pa55word', usrname: 'x' }, hots: 'b' });
    expect([answer.status, answer.headers['trunkline-ignored-fields']]).toEqual([201, 'hots, inbound.usrname']);
  });

  it('sends its stored password to no other host: the password must be given again', async () => {
    const { id } = await created({ username: 'acme', password: 'first' });
    for (const fields of [
      { host: 'evil.example.net' },
      { port: 5099 },
      { transport: 'tcp' },
      { targets: [{ host: 'sip.example.net' }, { host: 'evil.example.net' }] },
    ]) {
      const { status, body } = await patch(id, fields);
      expect([fields, status, Object.keys(body.errors as object)]).toEqual([fields, 422, ['password']]);
    }
    expect((await patch(id, { from_domain: 'acme.example.net' })).status).toBe(200);
    expect(await passwordOf(id)).toBe('first');
    expect((await patch(id, { host: 'new.example.net', password: 'second' })).status).toBe(200);
    expect(await passwordOf(id)).toBe('second');
    const dropped = await patch(id, { host: 'other.example.net', password: null });
    expect(dropped.body.data).toMatchObject({ has_password: false });
  });

  it('moves from a host to targets and back', async () => {
    const { id } = await created({ port: 5070 });
    const targets = [
      { host: 'b.example.net', priority: 2 },
      { host: 'a.example.net', priority: 1 },
    ];
    const many = await patch(id, { targets });
    expect(many.body.data.targets.map(({ host }: { host: string }) => host)).toEqual([
      'a.example.net',
      'b.example.net',
    ]);
    const one = await patch(id, { host: 'c.example.net' });
    expect(one.body.data.targets).toEqual([
      expect.objectContaining({ host: 'c.example.net', port: null, transport: 'udp' }),
    ]);
  });

  it.each([
    [{ host: '10.1.2.3' }, 'host'],
    [{ host: '127.0.0.1' }, 'host'],
    [{ host: '169.254.169.254' }, 'host'],
    [{ host: '[fd00::1]' }, 'host'],
    [{ host: 'localhost' }, 'host'],
    [{ host: 'redis' }, 'host'],
    [{ host: undefined, targets: [{ host: 'a.example.net' }, { host: '192.168.0.1' }] }, 'targets.1.host'],
  ])('cannot point into the inside network: %j', async (fields, field) => {
    const { status, body } = await post(fields);
    expect([status, Object.keys(body.errors as object)]).toEqual([422, [field]]);
  });

  it('cannot take over the inbound traffic or the LiveKit trunk of others, unless an operator allows it', async () => {
    const addresses = { inbound: { addresses: ['203.0.113.0/24'] } };
    const liveKit = { livekit_trunk_id: 'ST_abc123' };
    expect((await post(addresses)).body.errors).toEqual({
      'inbound.addresses': [
        'The inbound.addresses field can be set by operators only (a workspace file, or a token with the scope account:write).',
      ],
    });
    expect(Object.keys((await post(liveKit)).body.errors as object)).toEqual(['livekit_trunk_id']);
    const { id } = await created({ ...addresses, ...liveKit }, own.token);
    expect((await patch(id, { inbound: { enabled: false } })).status).toBe(200);
    const more = { inbound: { addresses: ['203.0.113.0/24', '198.51.100.0/24'] } };
    expect((await patch(id, more)).status).toBe(422);
  });

  it('cannot be deleted while calls are queued for it or live on it', async () => {
    const { id } = await created();
    const call = await aCall(api.pool, own, { trunk_id: id });
    expect((await api.as(tenant).delete(`${path}/${id}`)).status).toBe(409);
    await api.pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('gone', now() - interval '1 day')`);
    await api.pool.query(
      `UPDATE calls SET trunk_id = NULL, transfer_trunk_id = $2, owner = 'gone', status = 'in_progress' WHERE id = $1`,
      [call, id],
    );
    expect((await api.as(tenant).delete(`${path}/${id}`)).status).toBe(409);
    await api.pool.query(`UPDATE calls SET trunk_id = $2, ended_at = now(), status = 'completed' WHERE id = $1`, [
      call,
      id,
    ]);
    expect((await api.as(tenant).delete(`${path}/${id}`)).status).toBe(200);
    expect((await api.as(own.token).get(`/api/v1/calls/${call}`)).body.data).toMatchObject({ trunk_id: id });
  });

  it('is created once for an Idempotency-Key', async () => {
    const body = { name: aName(), host: 'sip.example.net', password: 'x' };
    const again = () => api.as(tenant).post(path).set('Idempotency-Key', 'trunk-1').send(body);
    const [first, second] = await Promise.all([again(), again()]);
    expect([first.status, second.status, first.body.data.id]).toEqual([201, 201, second.body.data.id]);
  });

  it('cannot be tested while no dialer runs', async () => {
    const { status, body } = await api.as(tenant).post(`${path}/${own.trunkId}/test`);
    expect([status, body]).toEqual([503, { message: 'No dialer is running.' }]);
  });
});

describe('the account over REST', () => {
  it('shows limits, retention and usage', async () => {
    await api.pool.query(
      `INSERT INTO daily_spend (account_id, day, micros) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1250000)`,
      [own.accountId],
    );
    const { status, body } = await api.as(own.token).get('/api/v1/account');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id: own.accountId,
      limits: {
        concurrent_calls: 10,
        calls_per_second: 5,
        daily_spend_usd: null,
        destinations: { allow: [], deny: [] },
      },
      retention: { recordings_days: null, deliveries_days: 30 },
      spend: { today_usd: 1.25, resets_at: expect.stringMatching(/T00:00:00\.000\+00:00$/) },
      storage: { used_bytes: 0 },
      calls: { queued: 0, live: 0 },
    });
  });

  it('is changed by operators only, with audit events that hold both values', async () => {
    const change = { limits: { concurrent_calls: 25, daily_spend_usd: 12.5 }, retention: { recordings_days: 90 } };
    const refused = await api.as(tenant).patch('/api/v1/account').send(change);
    expect(refused.status).toBe(403);
    const { status, body } = await api.as(own.token).patch('/api/v1/account').send(change);
    expect([status, body.data.limits.concurrent_calls, body.data.limits.daily_spend_usd]).toEqual([200, 25, 12.5]);
    expect(body.data.retention.recordings_days).toBe(90);
    const events = await api.as(own.token).get(`/api/v1/audit-events?subject=account:${own.accountId}`);
    expect(
      events.body.data.map(({ action, details }: { action: string; details: unknown }) => [action, details]),
    ).toEqual([
      ['retention.changed', { recordings_days: { from: null, to: 90 } }],
      [
        'limits.changed',
        { concurrent_calls: { from: 10, to: 25 }, daily_spend_micros: { from: null, to: '12500000' } },
      ],
    ]);
  });

  it.each([
    [{ limits: { concurrent_calls: 0 } }, 'limits.concurrent_calls'],
    [{ limits: { destinations: { allow: ['x'] } } }, 'limits.destinations.allow.0'],
    [{ retention: { recordings_days: 0 } }, 'retention.recordings_days'],
    [{ limits: 7 }, 'limits'],
  ])('refuses %j on the field', async (body, field) => {
    const answer = await api.as(own.token).patch('/api/v1/account').send(body);
    expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, [field]]);
  });
});
