import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SipPeer } from '../peers/sip-peer.js';
import { aToken } from '../support/factories.js';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';

const HOUR_MS = 3_600_000;
const iso = (ms: number): string => new Date(Date.now() + ms).toISOString();

const service = Service.get();
let peer: SipPeer;
const accounts: StoryAccount[] = [];

beforeAll(async () => {
  peer = await SipPeer.start('127.0.44.2');
});
afterAll(async () => {
  await Promise.all([peer?.close(), ...accounts.map((account) => account.close())]);
  await service.close();
});

/** Its numbers are dialled at the peer. `limits`: of `PATCH /account`. */
async function anAccount(limits: object = {}): Promise<StoryAccount & { order: { trunk_id: number } }> {
  const account = await StoryAccount.open(service);
  accounts.push(account);
  const changed = await account.me.patch('/api/v1/account').send(limits);
  expect([changed.status, changed.body.errors]).toEqual([200, undefined]);
  const trunk = { name: 'peer', host: peer.address, port: peer.port, options_ping_seconds: 0 };
  const { body } = await account.me.post('/api/v1/trunks').send(trunk);
  return Object.assign(account, { order: { trunk_id: body.data.id as number } });
}

describe('the limits of an account', () => {
  it('one call at once: the others wait in their order', async () => {
    const account = await anAccount({ limits: { concurrent_calls: 1 } });
    const to_number = ['+15554400001', '+15554400002', '+15554400003'];
    const { body } = await account.post({ to_number, ...account.order });
    const ids: string[] = body.data.map(({ call_id: id }: { call_id: string }) => id);
    const first = await peer.invited();
    expect((await account.me.get('/api/v1/account')).body.data.calls).toMatchObject({ queued: 2 });
    peer.reply(first, '486 Busy Here');
    const dialled = [first.uri];
    for (let left = 2; left > 0; left--) {
      const invite = await peer.invited();
      dialled.push(invite.uri);
      peer.reply(invite, '486 Busy Here');
    }
    expect(dialled).toEqual(to_number.map((number) => expect.stringContaining(number)));
    const calls = await Promise.all(ids.map((id) => account.ended(id)));
    for (const [at, call] of calls.slice(1).entries())
      expect(Date.parse(call.started_at)).toBeGreaterThanOrEqual(Date.parse(calls[at].ended_at));
  });

  it('more waiting calls than the account may queue are refused, all or nothing', async () => {
    const account = await anAccount({ limits: { queued_calls: 2 } });
    const scheduled = (count: number) =>
      account.post({
        to_number: Array(count).fill(account.uri('answer')),
        not_before: iso(HOUR_MS),
        reject_duplicates: false,
      });
    const refused = await scheduled(3);
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { to_number: [expect.stringContaining('2 may wait')] },
    ]);
    const { body } = await scheduled(2);
    expect((await scheduled(1)).status).toBe(422);
    await account.me.post(`/api/v1/calls/${body.data[0].call_id}/cancel`).expect(200);
    expect((await scheduled(1)).status).toBe(201);
  });

  it('a number is dialled as often a day as the account allows, and other numbers as before', async () => {
    const account = await anAccount({ contact_limits: { attempts_per_day: 2 } });
    const busy = async (number: string) => {
      const id = await account.place(number, account.order);
      peer.reply(await peer.invited(number), '486 Busy Here');
      return (await account.ended(id)).hangup_cause as string;
    };
    expect([await busy('+15554400021'), await busy('+15554400021')]).toEqual(['user_busy', 'user_busy']);
    const refused = await account.ended(await account.place('+15554400021', account.order));
    expect(refused).toMatchObject({ status: 'failed', hangup_cause: 'contact_limit', started_at: null });
    expect(await busy('+15554400022')).toBe('user_busy');
  });

  it('are changed with the scope account:write only, and name wrong values', async () => {
    const account = await anAccount();
    const token = await aToken(service.pool, account.workspace.accountId, ['account:read']);
    const change = { limits: { concurrent_calls: 1_000 } };
    expect((await service.as(token).patch('/api/v1/account').send(change)).status).toBe(403);
    const wrong = await account.me.patch('/api/v1/account').send({ limits: { concurrent_calls: 0 } });
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['limits.concurrent_calls']]);
    expect((await service.as(token).get('/api/v1/account')).body.data.limits.concurrent_calls).toBe(10);
  });
});

describe('a scheduled call', () => {
  it('waits for its time, is not part of the queue, and can be cancelled at once', async () => {
    const account = await anAccount();
    const not_before = iso(48 * HOUR_MS);
    const id = await account.place(account.uri('answer'), { not_before });
    const found = await account.call(id);
    expect(found).toMatchObject({ status: 'pending', started_at: null });
    expect((await account.me.delete(`/api/v1/calls/${id}`)).status).toBe(409);
    expect(Date.parse(found.scheduled_for)).toBe(Date.parse(not_before));
    expect((await account.me.get('/api/v1/account')).body.data.calls).toMatchObject({ queued: 0, scheduled: 1 });
    const listed = async (scheduled: boolean) =>
      (await account.me.get('/api/v1/calls').query({ scheduled })).body.data.map(
        (call: { call_id: string }) => call.call_id,
      );
    expect([await listed(true), await listed(false)]).toEqual([[id], []]);
    const { body } = await account.me.post(`/api/v1/calls/${id}/cancel`);
    expect(body.data).toMatchObject({ status: 'cancelled', scheduled_for: null });
    expect(await account.ended(id)).toMatchObject({ hangup_cause: 'cancelled', started_at: null });
  });

  it('is dialled at its time and not before', async () => {
    const account = await anAccount();
    const due = Date.now() + 1_500;
    const id = await account.place('+15554400009', { ...account.order, not_before: new Date(due).toISOString() });
    peer.reply(await peer.invited('+15554400009'), '486 Busy Here');
    const call = await account.ended(id);
    expect(Date.parse(call.started_at)).toBeGreaterThanOrEqual(due);
    expect(call).toMatchObject({ status: 'busy', hangup_cause: 'user_busy', scheduled_for: null });
  });

  it('with opening times is dialled in the next window in the time zone of its number', async () => {
    const account = await anAccount();
    const window = { windows: [{ from: '09:00', to: '17:00' }] };
    const not_before = `${iso(72 * HOUR_MS).slice(0, 10)}T01:00:00Z`;
    const id = await account.place('+493012345678', { ...account.order, not_before, window });
    const call = await account.call(id);
    expect(call.schedule).toMatchObject({ window, time_zones: ['Europe/Berlin'] });
    const local = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Berlin' });
    expect(local.format(Date.parse(call.scheduled_for))).toBe('09:00');
    await account.me.post(`/api/v1/calls/${id}/cancel`);
  });

  it('may have a time and a time zone for each destination of a request', async () => {
    const account = await anAccount();
    // Outside of the window in both time zones.
    const [evening, later] = [1, 2].map((days) => `${iso(days * 24 * HOUR_MS).slice(0, 10)}T20:00:00Z`);
    const to_number = [
      '+4930123456',
      { to_number: '+4930123457', not_before: later },
      { to_number: '+4930123458', time_zone: 'Asia/Kathmandu' },
    ];
    const window = { windows: [{ from: '09:00', to: '17:00' }] };
    const { body } = await account.post({ to_number, ...account.order, not_before: evening, window });
    const calls = await Promise.all(body.data.map(({ call_id: id }: { call_id: string }) => account.call(id)));
    expect(calls.map(({ schedule }) => [Date.parse(schedule.not_before), schedule.time_zones])).toEqual([
      [Date.parse(evening!), ['Europe/Berlin']],
      [Date.parse(later!), ['Europe/Berlin']],
      [Date.parse(evening!), ['Asia/Kathmandu']],
    ]);
    expect(new Set(calls.map(({ scheduled_for: time }) => time)).size).toBe(3);
    for (const { call_id: id } of calls) await account.me.post(`/api/v1/calls/${id}/cancel`);
  });

  it.each([
    ['a time without an offset', { not_before: '2026-12-01T09:00:00' }, 'not_before'],
    ['a far future', { not_before: iso(367 * 24 * HOUR_MS) }, 'not_before'],
    ['an unknown time zone', { time_zone: 'Europe/Atlantis' }, 'time_zone'],
    ['a window without an end', { window: { windows: [{ from: '09:00' }] } }, 'window.windows.0.to'],
    [
      'a window of a SIP URI without a time zone',
      { window: { windows: [{ from: '09:00', to: '17:00' }] } },
      'time_zone',
    ],
  ])('with %s is refused on the field', async (_, order, field) => {
    const account = accounts.at(-1)!;
    const { status, body } = await account.post({ to_number: account.uri('answer'), ...order });
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
  });
});
