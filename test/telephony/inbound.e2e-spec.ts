import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SipPeer } from '../peers/sip-peer.js';
import { eventually } from '../support/eventually.js';
import { Service } from '../support/service.js';
import { loudness, sideOf } from '../support/stereo-wav.js';
import { StoryAccount } from '../support/story-account.js';

/** The carrier, by its address. */
const CARRIER = '127.0.41.2';
const NUMBER = '+15554100001';
const WITHOUT_AGENT = '+15554100002';
const CLOSED = '+15554100003';
const INACTIVE = '+15554100004';
const CREDENTIALS = { username: 'carrier-inbound-story', password: 'correct-horse' };

const service = Service.get();
let account: StoryAccount;
let other: StoryAccount;
let carrier: SipPeer;
/** Whose address no trunk has. */
let stranger: SipPeer;
let trunkId: number;

beforeAll(async () => {
  const script = { rules: [{ on: { digits: '5' }, say: 'Goodbye.', send_dtmf: '42', hang_up: true }] };
  [carrier, stranger, account, other] = await Promise.all([
    SipPeer.start(CARRIER),
    SipPeer.start('127.0.41.9'),
    StoryAccount.open(service, { script }),
    StoryAccount.open(service, { script }),
  ]);
  const closed = {
    hours: { time_zone: 'UTC', windows: [], excluded_dates: nearDates() },
    closed: { action: 'reject' },
  };
  await addNumber(account, { e164: NUMBER, agent_id: account.agentId });
  await addNumber(account, { e164: WITHOUT_AGENT });
  await addNumber(account, { e164: INACTIVE, agent_id: account.agentId, active: false });
  await addNumber(account, { e164: CLOSED, agent_id: account.agentId, ...closed });
  // Both accounts have this number: the trunk decides.
  await addNumber(other, { e164: NUMBER, agent_id: other.agentId });
  await addTrunk(other, { inbound: CREDENTIALS });
  trunkId = await addTrunk(account, {
    ...{ concurrent_calls: 2, inbound: { addresses: [CARRIER] } },
    inbound_headers: { 'X-Customer': 'customer', 'User-to-User': 'ticket', 'X-Note': 'note' },
    end_headers: { 'X-Result': 'customer', 'X-Outcome': 'outcome', 'X-None': 'nothing' },
  });
  const variables = [{ name: 'customer', default: 'nobody', max_length: 20 }, { name: 'outcome' }];
  await account.me.patch(`/api/v1/agents/${account.agentId}`).send({ variables }).expect(200);
  // The dialer learns trunks in intervals; it challenges addresses that it does not know.
  await eventually(
    () => carrier.probe(service.sipPort),
    (status) => status === 200,
  );
});
afterAll(async () => {
  await Promise.all([carrier?.close(), stranger?.close(), account?.close(), other?.close()]);
  await service.close();
});

const nearDates = (): string[] =>
  [-1, 0, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));

async function addNumber(owner: StoryAccount, fields: object): Promise<void> {
  const { status, body } = await owner.me.post('/api/v1/numbers').send(fields);
  expect([status, body.errors]).toEqual([201, undefined]);
}

async function addTrunk(owner: StoryAccount, fields: object): Promise<number> {
  const trunk = { name: 'carrier', host: '127.0.0.1', options_ping_seconds: 0, ...fields };
  const { status, body } = await owner.me.post('/api/v1/trunks').send(trunk);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data.id as number;
}

const dial = (number: string, from: string) => carrier.dial({ number, port: service.sipPort, from });

/** The only call from that number. */
async function callFrom(from: string, owner = account) {
  const { body } = await owner.me.get('/api/v1/calls').query({ search: from, direction: 'inbound' });
  expect(body.data).toHaveLength(1);
  return body.data[0] as { call_id: string };
}

/** Whether 800 samples in a row have the same amplitude above silence. */
function hasTone(side: Int16Array): boolean {
  let run = 0;
  for (const [at, sample] of side.entries()) {
    run = Math.abs(sample) > 1_000 && Math.abs(Math.abs(sample) - Math.abs(side[at - 1] ?? 0)) < 10 ? run + 1 : 0;
    if (run === 800) return true;
  }
  return false;
}

describe('a call to a number of the account', () => {
  it('is answered by the agent of the number, recorded and reported until the caller hangs up', async () => {
    const from = '+15554177001';
    const call = await dial(NUMBER, from);
    expect(call.status).toBe(200);
    await call.audio.heard();
    await call.audio.playTone(400);
    const { call_id: id } = await callFrom(from);
    expect(await account.event(id, 'turn')).toMatchObject({ role: 'agent', text: 'Hello.' });
    expect(await call.hangUp()).toBe(200);

    const ended = await account.ended(id);
    expect(ended).toMatchObject({
      direction: 'inbound',
      status: 'completed',
      hangup_cause: 'normal_clearing',
      ended_by: 'caller',
      from_number: from,
      to_number: NUMBER,
      trunk_id: trunkId,
      agent_id: account.agentId,
    });
    expect(ended.cost).toBeGreaterThan(0);
    // The price of inbound calls.
    expect(ended.costs).toContainEqual(expect.objectContaining({ kind: 'carrier_seconds', unit_price: 0.000075 }));
    expect(account.sink.eventsOf(id)).toEqual(['initiated', 'ringing', 'in-progress', 'completed', 'ended']);
    for (const webhook of account.sink.of(id)) account.sink.verify(webhook, account.secret);
    const wav = Buffer.from(await (await fetch(ended.recording_url)).arrayBuffer());
    const [callee, agent] = [sideOf(wav, 'callee'), sideOf(wav, 'agent')];
    expect(loudness(agent)).toBeGreaterThan(100);
    // The tone of the peer has one loudness, which no voice has for 100 ms.
    expect([hasTone(callee), hasTone(agent)]).toEqual([true, false]);
  });

  it('carries keys in both directions, and ends when the agent hangs up', async () => {
    const from = '+15554177002';
    const call = await dial(NUMBER, from);
    await call.audio.heard();
    call.audio.press('5');
    await call.audio.pressed('42');
    await call.hungUp;
    const { call_id: id } = await callFrom(from);
    expect(await account.ended(id)).toMatchObject({
      status: 'completed',
      ended_by: 'agent',
      hangup_cause: 'agent_hangup',
    });
    const digits = (await account.events(id)).flatMap(({ data }) => data['digit'] ?? []);
    expect(digits).toEqual(['5']);
  });

  it('keeps the headers that its trunk names, as data and as declared variables, and writes a variable into the BYE', async () => {
    const from = '+15554177012';
    const headers = [
      ...['X-Customer: Zoë 4711', 'User-to-User: 54692d35;encoding=hex', `X-Note: ${'n'.repeat(300)}`],
      ...Array.from({ length: 100 }, (_, n) => `X-Further-${n}: ${n}`),
    ];
    const call = await carrier.dial({ number: NUMBER, port: service.sipPort, from, headers });
    await call.audio.heard();
    const { call_id: id } = await callFrom(from);
    const command = { type: 'set_variables', variables: { outcome: 'sold' } };
    await account.me.post(`/api/v1/calls/${id}/commands`).send(command).expect(202);
    await account.event(id, 'command_done');
    call.audio.press('5');
    await call.hungUp;
    const ended = await account.ended(id);
    expect(ended.metadata).toEqual({ sip: { customer: 'Zoë 4711', ticket: 'Ti-5' } });
    expect(ended.variables).toEqual({ customer: 'Zoë 4711', outcome: 'sold' });
    const webhook = account.sink.of(id).at(-1)!;
    expect(JSON.stringify(webhook.body)).toContain('"ticket":"Ti-5"');
    const bye = carrier.requests.find(({ method, get }) => method === 'BYE' && get('Call-ID') === call.callId)!;
    expect([bye.get('X-Result'), bye.get('X-Outcome'), bye.all('X-None')]).toEqual(['Zoë 4711', 'sold', []]);
  });

  it('belongs to the account whose trunk has the password, and is invisible to the other account', async () => {
    const from = '+15554177003';
    const to = { number: NUMBER, port: service.sipPort, from, credentials: CREDENTIALS };
    const call = await stranger.dial(to);
    expect(call.status).toBe(200);
    const { call_id: id } = await callFrom(from, other);
    expect((await account.me.get(`/api/v1/calls/${id}`)).status).toBe(404);
    expect((await account.me.post(`/api/v1/calls/${id}/cancel`)).status).toBe(404);
    expect((await other.me.post(`/api/v1/calls/${id}/cancel`)).status).toBe(200);
    await call.hungUp;
    expect(await other.ended(id)).toMatchObject({ status: 'completed', ended_by: 'api', direction: 'inbound' });
  });

  it('above the limit of the trunk is refused as busy, and is listed', async () => {
    const calls = [await dial(NUMBER, '+15554177004'), await dial(NUMBER, '+15554177005')];
    expect(calls.map(({ status }) => status)).toEqual([200, 200]);
    const from = '+15554177006';
    expect((await dial(NUMBER, from)).status).toBe(486);
    const { call_id: id } = await callFrom(from);
    expect(await account.ended(id)).toMatchObject({ status: 'busy', hangup_cause: 'concurrency_limit', sip_code: 486 });
    for (const call of calls) expect(await call.hangUp()).toBe(200);
    // The lines of the trunk are free when the calls are stored as ended.
    for (const one of ['+15554177004', '+15554177005']) await account.ended((await callFrom(one)).call_id);
  });

  it('outside the hours of the number is rejected with 480', async () => {
    const from = '+15554177007';
    expect((await dial(CLOSED, from)).status).toBe(480);
    const { call_id: id } = await callFrom(from);
    expect(await account.ended(id)).toMatchObject({ status: 'failed', hangup_cause: 'closed' });
  });
});

describe('a call that is not accepted leaves no record', () => {
  const recorded = async () => (await account.me.get('/api/v1/calls')).body.meta.total as number;

  it.each([
    ['an unknown number', '+15554199999'],
    ['a number without an agent', WITHOUT_AGENT],
    ['an inactive number', INACTIVE],
  ])('to %s: 404', async (_, number) => {
    const before = await recorded();
    expect((await dial(number, '+15554177008')).status).toBe(404);
    expect(await recorded()).toBe(before);
  });

  it('from an unknown address: 401, also with a wrong password', async () => {
    const to = { number: NUMBER, port: service.sipPort };
    expect((await stranger.dial(to)).status).toBe(401);
    expect((await stranger.dial({ ...to, credentials: { ...CREDENTIALS, password: 'wrong-horse' } })).status).toBe(401);
  });
});
