import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SipPeer } from '../peers/sip-peer.js';
import { aToken } from '../support/factories.js';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';

const LIST = '/api/v1/do-not-call';

const service = Service.get();
let account: StoryAccount;
let other: StoryAccount;
let peer: SipPeer;
let trunk_id: number;

beforeAll(async () => {
  [account, other, peer] = await Promise.all([
    StoryAccount.open(service),
    StoryAccount.open(service),
    SipPeer.start('127.0.46.2'),
  ]);
  const trunk = { name: 'peer', host: peer.address, port: peer.port, options_ping_seconds: 0 };
  trunk_id = (await account.me.post('/api/v1/trunks').send(trunk)).body.data.id as number;
  const limits = { destinations: { allow: ['+1', '+881'], deny: ['+1555'] } };
  await account.me.patch('/api/v1/account').send({ limits }).expect(200);
});
afterAll(async () => {
  await Promise.all([account?.close(), other?.close(), peer?.close()]);
  await service.close();
});

/** A call that waits for a day. */
const later = (to_number: unknown, order: object = {}) =>
  account.post({ to_number, trunk_id, not_before: new Date(Date.now() + 86_400_000).toISOString(), ...order });

describe('what an account may not call is refused with the request', () => {
  it.each([
    ['a number outside the allowed countries', '+442071838750', /not allowed/],
    ['a premium number', '+19005550100', /premium/],
    ['a denied part of an allowed country', '+15550001111', /denied/],
    ['a number as a SIP user', 'sip:+442071838750@sip.example.com', /not allowed/],
    ['a number behind 00', 'sip:0019005550100@sip.example.com', /premium|E\.164/],
    ['a number behind an escape', 'sip:%2B19005550100@sip.example.com', /premium|E\.164/],
    ['an internal address', 'sip:alice@10.0.0.1', /not a public address/],
    ['a dial string over a trunk', 'sip:9011881612345678@sip.example.com', /not allowed|E\.164/],
  ])('%s', async (_, to_number, why) => {
    const { status, body } = await later(['sip:bob@sip.example.com', to_number]);
    expect([status, body.errors]).toEqual([422, { 'to_number.1': [expect.stringMatching(why)] }]);
  });

  it('a transfer to such a number', async () => {
    const order = { enable_call_transfer: true, transfer_phone_number: '+19005550100' };
    const { status, body } = await later('+12025550100', order);
    expect([status, body.errors]).toEqual([422, { transfer_phone_number: [expect.stringMatching(/premium/)] }]);
    const call_transfer = { enabled: true, phone_number: '+442071838750' };
    const agent = await account.me
      .post('/api/v1/agents')
      .send({ name: 'with a transfer', provider: 'sandbox', call_transfer });
    const kept = await later('+12025550100', { agent_id: agent.body.data.id });
    expect([kept.status, kept.body.errors]).toEqual([
      422,
      { transfer_phone_number: [expect.stringMatching(/not allowed/)] },
    ]);
  });

  it('extensions, unless the trunk has a dial format for them', async () => {
    const dial_formats = { extensions: { min_digits: 2, max_digits: 4 } };
    const pbx = await account.me.post('/api/v1/trunks').send({ name: 'pbx', host: 'pbx.example.com', dial_formats });
    expect(pbx.body.data.dial_formats).toEqual(dial_formats);
    const to = (...users: string[]) => users.map((user) => `sip:${user}@pbx.example.com`);
    const order = { trunk_id: pbx.body.data.id as number };
    const { status, body } = await later(to('1', '10001', '9005551212', '%31001', '1001'), order);
    expect([status, Object.keys(body.errors)]).toEqual([422, [0, 1, 2, 3].map((index) => `to_number.${index}`)]);
    const accepted = await later(to('10', '1001', 'alice', '+12025550100'), order);
    expect(accepted.status).toBe(201);
    for (const { call_id: id } of accepted.body.data) await account.me.post(`/api/v1/calls/${id}/cancel`);
    expect((await later(to('1001'))).status).toBe(422);
  });

  it('any call once the budget of the day is spent', async () => {
    const poor = await service.account({ daily_spend_micros: 1 });
    await service.pool.query(
      `INSERT INTO daily_spend (account_id, day, micros) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1)`,
      [poor.accountId],
    );
    const order = { to_number: account.uri('answer'), agent_id: poor.agentId, number_id: poor.numberId };
    const { status, body } = await service.as(poor.token).post('/api/v1/calls').send(order);
    expect([status, body.errors]).toEqual([422, { to_number: [expect.stringMatching(/USD is reached/)] }]);
  });

  it('everything else is accepted, and checked again before it is dialled', async () => {
    const accepted = await later(['+12025550100', 'sip:+12025550100@sip.example.com', 'sip:alice@sip.example.com']);
    expect(accepted.status).toBe(201);
    for (const { call_id: id } of accepted.body.data) await account.me.post(`/api/v1/calls/${id}/cancel`);
    const id = await account.place('+12025550199', {
      trunk_id,
      not_before: new Date(Date.now() + 1_000).toISOString(),
    });
    const limits = { destinations: { allow: ['+1'], deny: ['+1555', '+1202555019'] } };
    expect((await account.me.patch('/api/v1/account').send({ limits })).status).toBe(200);
    expect(await account.ended(id)).toMatchObject({ status: 'failed', hangup_cause: 'blocked_destination' });
    expect(peer.requests).toEqual([]);
  });
});

describe('the do-not-call list', () => {
  it('forbids calls to its numbers, ends those that wait, and belongs to its account', async () => {
    const waiting = await later(['+12025550110', 'sip:+12025550110@sip.example.com', '+12025550111']);
    const added = await account.me.post(LIST).send({ number: '+1 (202) 555-0110', reason: 'asked by e-mail' });
    expect([added.status, added.body]).toEqual([
      201,
      expect.objectContaining({
        data: expect.objectContaining({ number: '+12025550110', match: 'number', source: 'api' }),
        ended_calls: 2,
      }),
    ]);
    const [number, uri, other_number] = waiting.body.data.map(({ call_id: id }: { call_id: string }) => id);
    for (const id of [number, uri])
      expect(await account.ended(id)).toMatchObject({ hangup_cause: 'do_not_call', started_at: null });
    expect(await account.call(other_number)).toMatchObject({ status: 'pending' });
    await account.me.post(`/api/v1/calls/${other_number}/cancel`);
    const refused = await later(['+12025550110', '+12025550111', 'sip:+12025550110@sip.example.com']);
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['to_number.0', 'to_number.2']]);
    expect(refused.body.errors['to_number.0']).toEqual([expect.stringMatching(/do-not-call/)]);
    const check = async (number: string) => account.me.get(`${LIST}/check`).query({ number });
    expect((await check('+12025550110')).body.data).toMatchObject({
      allowed: false,
      reason: 'do_not_call',
      entry: { number: '+12025550110' },
      attempts: { last_24_hours: 0, last_7_days: 0 },
      local_times: [{ time_zone: 'America/New_York' }],
    });
    expect((await check('sip:+12025550111@sip.example.com')).body.data).toMatchObject({ allowed: true, entry: null });
    expect((await check('sip:alice@sip.example.com')).status).toBe(422);
    const again = await account.me.post(LIST).send({ number: '+12025550110', expires_at: '2091-01-01T00:00:00Z' });
    expect([again.status, again.body.data]).toEqual([
      200,
      expect.objectContaining({
        id: added.body.data.id,
        reason: null,
        expires_at: expect.stringMatching(/^2091-01-01/),
      }),
    ]);

    const path = `${LIST}/${added.body.data.id}`;
    expect((await other.me.get(LIST)).body.data).toEqual([]);
    expect((await other.me.get(path)).status).toBe(404);
    expect((await other.me.delete(path)).status).toBe(404);
    expect((await account.me.delete(path)).status).toBe(200);
    expect((await later('+12025550110')).status).toBe(201);
    const { body: audit } = await account.me
      .get('/api/v1/audit-events')
      .query({ subject: `do_not_call_entry:${added.body.data.id}` });
    expect(audit.data.map(({ action }: { action: string }) => action)).toEqual(
      ['deleted', 'updated', 'added'].map((change) => `do_not_call.${change}`),
    );
    expect(JSON.stringify(audit.data)).not.toContain('2025550110');
  });

  it('has prefixes, is imported from a file with a report by line, and exported', async () => {
    const rows = [
      ...['Phone;Reason;expires_at', '+1 202 555 0120;"moved; gone";', 'nonsense;;', '+1303*;;2091-01-01'],
      ...['+12025550120;;', '+12025550121;;2001-01-01', '="+12025550122";as a spreadsheet writes text;'],
    ];
    const imported = await account.me.post(`${LIST}/import`).set('content-type', 'text/csv').send(rows.join('\r\n'));
    expect([imported.status, imported.body.data]).toEqual([
      200,
      expect.objectContaining({
        rows: 6,
        added: 3,
        unchanged: 1,
        refused: 2,
        refused_rows: [3, 6].map((line) => expect.objectContaining({ line })),
      }),
    ]);
    expect((await later('+13035550000')).status).toBe(422);
    const exported = await account.me.get(`${LIST}/export`);
    expect(exported.headers['content-type']).toContain('text/csv');
    for (const row of [
      '+12025550120,"moved; gone",',
      '+1303*,,2091-01-01',
      '+12025550122,as a spreadsheet writes text,',
    ])
      expect(exported.text).toContain(row);
    const again = await account.me.post(`${LIST}/import`).set('content-type', 'text/csv').send(exported.text);
    expect(again.body.data).toMatchObject({ added: 0, refused: 0 });
    const search = await account.me.get(LIST).query({ number: '+1303' });
    expect(search.body.data).toMatchObject([{ number: '+1303', match: 'prefix' }]);
  });

  it.each([
    [{ number: '12' }, 'number'],
    [{}, 'number'],
    [{ number: '+12025550100', expires_at: '2020-01-01' }, 'expires_at'],
  ])('refuses %j', async (entry, field) => {
    const { status, body } = await account.me.post(LIST).send(entry);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it('needs the scopes of compliance', async () => {
    const reader = service.as(await aToken(service.pool, account.workspace.accountId, ['compliance:read']));
    expect((await reader.get(LIST)).status).toBe(200);
    expect((await reader.post(LIST).send({ number: '+12025550101' })).status).toBe(403);
    const none = service.as(await aToken(service.pool, account.workspace.accountId, ['calls:write']));
    expect((await none.get(LIST)).status).toBe(403);
  });
});
