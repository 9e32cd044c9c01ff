import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SipPeer } from '../peers/sip-peer.js';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';

const CREDENTIALS = { username: 'acme', password: 'pa55word-of-acme' };

const service = Service.get();
let account: StoryAccount;
let carrier: SipPeer;
/** Refuses every call with 503. */
let overloaded: SipPeer;

beforeAll(async () => {
  [account, carrier, overloaded] = await Promise.all([
    StoryAccount.open(service),
    SipPeer.start(),
    SipPeer.start('127.0.42.2'),
  ]);
});
afterAll(async () => {
  await Promise.all([account?.close(), carrier?.close(), overloaded?.close()]);
  await service.close();
});

let trunks = 0;
async function aTrunk(fields: object): Promise<number> {
  const common = { name: `carrier ${(trunks += 1)}`, options_ping_seconds: 0 };
  const { status, body } = await account.me.post('/api/v1/trunks').send({ ...common, ...fields });
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data.id as number;
}

const atCarrier = () => ({ host: '127.0.0.1', port: carrier.port });

describe('a call over a trunk', () => {
  it('answers the challenge of the carrier and shows the number of the account; the callee hangs up', async () => {
    const trunk_id = await aTrunk({ ...atCarrier(), ...CREDENTIALS, headers: { 'X-Order-Id': 'order' } });
    const id = await account.place('+1 (555) 420-0001', { trunk_id, metadata: { order: 4711 } });
    const first = await carrier.invited('+15554200001');
    expect(carrier.isAuthorized(first, CREDENTIALS)).toBe(false);
    carrier.challenge(first);
    const second = await carrier.invited('+15554200001');
    expect(carrier.isAuthorized(second, CREDENTIALS)).toBe(true);
    expect(second.get('X-Order-Id')).toBe('4711');
    const call = await carrier.answer(second);
    await call.audio.heard();
    expect(await call.hangUp()).toBe(200);
    const ended = await account.ended(id);
    expect(ended).toMatchObject({
      ...{ status: 'completed', ended_by: 'callee', hangup_cause: 'normal_clearing' },
      ...{ trunk_id, to_number: '+15554200001' },
    });
    expect(second.get('From')).toContain(`sip:${ended.from_number}@`);
    expect(account.sink.eventsOf(id)).toEqual(['initiated', 'ringing', 'in-progress', 'completed', 'ended']);
    const path = `/api/v1/calls/${id}/diagnostics`;
    const diagnostics = await account.until<{ legs: object[] }>(path, ({ legs }) => legs.length === 1);
    expect(JSON.stringify(diagnostics)).not.toContain(CREDENTIALS.password);
  });

  it('with a wrong password fails with the reason', async () => {
    const trunk_id = await aTrunk({ ...atCarrier(), ...CREDENTIALS, password: 'wrong' });
    const id = await account.place('+15554200002', { trunk_id });
    carrier.challenge(await carrier.invited('+15554200002'));
    const second = await carrier.invited('+15554200002');
    expect(carrier.isAuthorized(second, CREDENTIALS)).toBe(false);
    carrier.challenge(second);
    expect(await account.ended(id)).toMatchObject({ status: 'failed', hangup_cause: 'auth_failed', sip_code: 407 });
  });

  it('to a port without a listener fails', async () => {
    const trunk_id = await aTrunk({ host: '127.0.0.1', port: 9, transport: 'tcp' });
    const id = await account.place('+15554200008', { trunk_id });
    expect(await account.ended(id)).toMatchObject({ status: 'failed', hangup_cause: 'network_error', sip_code: null });
  });

  it('goes to the next target when the first one is overloaded, and is ended by a cancellation', async () => {
    const targets = [
      { host: overloaded.address, port: overloaded.port, priority: 1 },
      { ...atCarrier(), priority: 2 },
    ];
    const id = await account.place('+15554200003', { trunk_id: await aTrunk({ targets }) });
    overloaded.reply(await overloaded.invited('+15554200003'), '503 Service Unavailable');
    const call = await carrier.answer(await carrier.invited('+15554200003'));
    await account.untilEvent(id, 'in-progress');
    expect((await account.me.post(`/api/v1/calls/${id}/cancel`)).status).toBe(200);
    await call.hungUp;
    expect(await account.ended(id)).toMatchObject({ status: 'completed', ended_by: 'api' });
    expect(overloaded.requests.filter(({ method }) => method === 'INVITE')).toHaveLength(1);
  });

  it('is cancelled with a CANCEL while the phone rings', async () => {
    const id = await account.place('+15554200004', { trunk_id: await aTrunk(atCarrier()) });
    const invite = await carrier.invited('+15554200004');
    carrier.reply(invite, '180 Ringing');
    await account.untilEvent(id, 'ringing');
    await account.me.post(`/api/v1/calls/${id}/cancel`);
    await carrier.next(({ method, status }) => method === 'CANCEL' && status === 0);
    carrier.reply(invite, '487 Request Terminated');
    expect(await account.ended(id)).toMatchObject({ status: 'cancelled', ended_by: 'api' });
  });

  it('waits when the trunk has no free line', async () => {
    const trunk_id = await aTrunk({ ...atCarrier(), concurrent_calls: 1 });
    const first = await account.place('+15554200005', { trunk_id });
    const call = await carrier.answer(await carrier.invited('+15554200005'));
    const second = await account.place('+15554200006', { trunk_id });
    await account.untilEvent(first, 'in-progress');
    expect(await account.call(second)).toMatchObject({ status: 'pending', started_at: null });
    expect(await call.hangUp()).toBe(200);
    carrier.reply(await carrier.invited('+15554200006'), '486 Busy Here');
    const [one, two] = [await account.ended(first), await account.ended(second)];
    expect(two).toMatchObject({ status: 'busy', hangup_cause: 'user_busy' });
    expect(Date.parse(two.started_at)).toBeGreaterThanOrEqual(Date.parse(one.ended_at));
  });
});

describe('POST /trunks/{trunkId}/test', () => {
  it('asks every target by OPTIONS and shows which one answered', async () => {
    const targets = [atCarrier(), { host: '127.0.0.1', port: 9, transport: 'tcp', priority: 5 }];
    const { status, body } = await account.me.post(`/api/v1/trunks/${await aTrunk({ targets })}/test`);
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({
        state: 'up',
        targets: [
          expect.objectContaining({ port: carrier.port, state: 'up', sip_status: 200 }),
          expect.objectContaining({ port: 9, state: 'down', sip_status: null }),
        ],
      }),
    ]);
    expect(carrier.requests.some(({ method }) => method === 'OPTIONS')).toBe(true);
  });

  it('is answered for an inactive trunk too, and requests at the same time share one test', async () => {
    const path = `/api/v1/trunks/${await aTrunk({ ...atCarrier(), active: false })}/test`;
    const [one, other] = await Promise.all([account.me.post(path), account.me.post(path)]);
    expect([one.status, one.body.data]).toEqual([200, expect.objectContaining({ state: 'up' })]);
    expect(other.body.data.checked_at).toBe(one.body.data.checked_at);
  });
});

describe('a trunk and a number with a live call', () => {
  it('cannot be deleted; afterwards they can, and the call keeps them', async () => {
    const trunk_id = await aTrunk(atCarrier());
    const number = await account.me.post('/api/v1/numbers').send({ e164: '+15554209999' });
    const number_id = number.body.data.id as number;
    const id = await account.place('+15554200007', { trunk_id, number_id });
    const call = await carrier.answer(await carrier.invited('+15554200007'));
    const paths = [`/api/v1/trunks/${trunk_id}`, `/api/v1/numbers/${number_id}`];
    for (const path of paths) expect((await account.me.delete(path)).status).toBe(409);
    await call.hangUp();
    await account.ended(id);
    for (const path of paths) expect((await account.me.delete(path)).status).toBe(200);
    for (const path of paths) expect((await account.me.get(path)).status).toBe(404);
    expect(await account.call(id)).toMatchObject({ trunk_id, number_id, from_number: '+15554209999' });
  });
});
