import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SipPeer } from '../peers/sip-peer.js';
import { WatchedCall } from '../support/event-stream.js';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';

const WORDS = 'We are here.';

const service = Service.get();
let account: StoryAccount;
let peer: SipPeer;
let trunkId: number;
/** A call for each test that needs one; they begin side by side. */
let ready: Awaited<ReturnType<typeof connected>>[];

interface Command {
  command_id: string;
  status: string;
  type: string;
  error: { code: string } | null;
  result: Record<string, unknown> | null;
}

beforeAll(async () => {
  const conversation = { idle: { after_seconds: 600 } };
  const variables = [{ name: 'order', max_length: 5 }, { name: 'customer' }];
  [account, peer] = await Promise.all([
    StoryAccount.open(service, { conversation, variables, ring_timeout_seconds: 5 }),
    SipPeer.start('127.0.43.2'),
  ]);
  const trunk = { name: 'peer', host: peer.address, port: peer.port, options_ping_seconds: 0 };
  trunkId = (await account.me.post('/api/v1/trunks').send(trunk)).body.data.id as number;
  ready = await Promise.all(Array.from({ length: 6 }, () => connected()));
});
afterAll(async () => {
  await Promise.all([account?.close(), peer?.close()]);
  await service.close();
});

let callees = 0;
/** An answered call to the peer, whose agent has said its greeting. */
async function connected() {
  const number = `+1555430${String((callees += 1)).padStart(4, '0')}`;
  const id = await account.place(number, { trunk_id: trunkId });
  const call = await peer.answer(await peer.invited(number));
  await account.event(id, 'turn');
  return { id, call };
}

const streamOf = (id: string, query = '', headers = {}) =>
  WatchedCall.open(`${service.baseUrl}/api/v1/calls/${id}/events${query}`, account.workspace.token, headers);

const send = (id: string, command: object, key?: string) => {
  const request = account.me.post(`/api/v1/calls/${id}/commands`);
  return (key === undefined ? request : request.set('Idempotency-Key', key)).send(command);
};

/** Sends a command and waits for its end. */
async function run(id: string, command: object): Promise<Command> {
  const { status, body } = await send(id, command);
  expect([status, body.errors]).toEqual([202, undefined]);
  const path = `/api/v1/calls/${id}/commands/${body.data.command_id}`;
  return account.until<Command>(path, ({ status: state }) => state !== 'pending' && state !== 'running');
}

describe('the event stream of a call', () => {
  it('reports the call from the first status to the end, closes, and goes on after the last known event', async () => {
    const number = '+15554309999';
    const id = await account.place(number, { trunk_id: trunkId });
    const stream = await streamOf(id);
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
    const call = await peer.answer(await peer.invited(number));
    await stream.until((events) => events.some(({ type }) => type === 'turn'));
    call.audio.press('7');
    await stream.until((events) => events.some(({ type }) => type === 'dtmf_received'));
    await call.hangUp();
    const events = await stream.untilClosed();
    const statuses = events.filter(({ type }) => type === 'status').map(({ data }) => data['status']);
    expect(statuses).toEqual(['pending', 'ringing', 'in_progress', 'completed']);
    expect(events.at(-1)).toMatchObject({
      type: 'status',
      data: { hangup_cause: 'normal_clearing', ended_by: 'callee', failure: null },
    });
    const ended = { cause: 'normal_clearing', ended_by: 'callee', failure: null };
    expect(events.find(({ type }) => type === 'ended')!.data).toMatchObject(ended);
    const numbers = events.map(({ seq }) => seq);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(events.find(({ type }) => type === 'turn')!.data).toMatchObject({ role: 'agent', text: 'Hello.' });
    expect(events.find(({ type }) => type === 'dtmf_received')!.data).toMatchObject({ digit: '7' });

    const middle = events[2]!.seq;
    const rest = await streamOf(id, '', { 'last-event-id': String(middle) });
    expect(await rest.untilClosed()).toEqual(events.slice(3));
    expect((await streamOf(id, `?after=${events.at(-1)!.seq}`)).response.status).toBe(204);
  });
});

describe('a command to a live call', () => {
  it('`say` is heard by the callee and is part of the transcript', async () => {
    const { id, call } = ready.pop()!;
    const heard = call.audio.heard();
    const said = await run(id, { type: 'say', text: WORDS });
    expect(said).toMatchObject({ status: 'done', error: null, result: { text: WORDS } });
    await heard;
    expect(await call.hangUp()).toBe(200);
    const ended = await account.ended(id);
    expect(ended.summary).toContain(WORDS);
    const { data } = account.sink.of(id).at(-1)!.body;
    expect(data['transcript']).toMatchObject([{ text: 'Hello.' }, { role: 'agent', text: WORDS }]);
  });

  it('are executed in order, once for one Idempotency-Key; keys reach the callee, not the paused recording; `hang_up` ends the call', async () => {
    const { id, call } = ready.pop()!;
    const first = await send(id, { type: 'mute_agent' }, 'once');
    const again = await send(id, { type: 'mute_agent' }, 'once');
    expect([first.status, again.body]).toEqual([202, first.body]);
    expect((await send(id, { type: 'unmute_agent' }, 'once')).status).toBe(409);
    await send(id, { type: 'pause_recording' });
    await send(id, { type: 'send_dtmf', digits: '4' });
    await send(id, { type: 'resume_recording' });
    await send(id, { type: 'send_dtmf', digits: '8#' });
    await send(id, { type: 'hang_up' });
    await call.audio.pressed('48#');
    await call.hungUp;
    const ended = await account.ended(id);
    expect(ended).toMatchObject({ status: 'completed', hangup_cause: 'normal_clearing', ended_by: 'api' });
    expect(await account.event(id, 'ended')).toMatchObject({ cause: 'normal_clearing', ended_by: 'api' });
    const { body } = await account.me.get(`/api/v1/calls/${id}/commands`);
    const types = ['mute_agent', 'pause_recording', 'send_dtmf', 'resume_recording', 'send_dtmf', 'hang_up'];
    expect(body.data.map(({ type, status }: Command) => [type, status])).toEqual(types.map((type) => [type, 'done']));
    const sent = (await account.events(id)).flatMap(({ data }) => data['digits'] ?? []);
    expect(sent).toEqual(['[recording paused]', '8#']);
  });

  it('`set_variables` stores declared values with the call, and refuses others', async () => {
    const { id, call } = ready.pop()!;
    for (const variables of [{ order: '4711' }, { customer: 'Ada' }])
      expect(await run(id, { type: 'set_variables', variables })).toMatchObject({ status: 'done' });
    expect((await account.call(id)).variables).toEqual({ order: '4711', customer: 'Ada' });
    const wrong = await send(id, { type: 'set_variables', variables: { other: 1, order: 'far too long' } });
    expect([wrong.status, Object.keys(wrong.body.errors).toSorted()]).toEqual([
      422,
      ['variables.order', 'variables.other'],
    ]);
    await call.hangUp();
    await account.ended(id);
  });

  it('is refused before the answer, after the end, with a wrong field, and by another account', async () => {
    const ringing = await account.place(account.uri('answer_after_60'));
    await account.untilEvent(ringing, 'ringing');
    expect((await send(ringing, { type: 'mute_agent' })).status).toBe(409);
    await account.me.post(`/api/v1/calls/${ringing}/cancel`);
    await account.ended(ringing);
    expect((await send(ringing, { type: 'mute_agent' })).status).toBe(409);

    const { id, call } = ready.pop()!;
    const wrong = await send(id, { type: 'send_dtmf', digits: 'x' });
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['digits']]);
    const stranger = await service.account();
    const foreign = service.as(stranger.token).post(`/api/v1/calls/${id}/commands`).send({ type: 'hang_up' });
    expect((await foreign).status).toBe(404);
    await call.hangUp();
    await account.ended(id);
  });
});

describe('a transfer', () => {
  const transfer = (id: string, phone_number: string) => run(id, { type: 'transfer', phone_number });

  it('connects the callee with the colleague, and the call ends with both', async () => {
    const { id, call } = ready.pop()!;
    const colleague = '+15554319001';
    const running = transfer(id, colleague);
    const invite = await peer.invited(colleague);
    const second = await peer.answer(invite);
    expect(await running).toMatchObject({ status: 'done', result: { method: 'bridge', to_number: colleague } });
    // The colleague hears the callee, and the callee the colleague.
    await Promise.all([second.audio.heardTone(), call.audio.playTone(400)]);
    await Promise.all([call.audio.heardTone(), second.audio.playTone(400)]);
    expect(await second.hangUp()).toBe(200);
    await call.hungUp;
    const ended = await account.ended(id);
    expect(ended).toMatchObject({ status: 'completed', hangup_cause: 'transferred' });
    expect(ended.transfers).toMatchObject([
      { to_number: colleague, from_number: ended.from_number, method: 'bridge', status: 'completed' },
    ]);
    // The carrier bills both legs.
    const { quantity } = ended.costs.find(({ kind }: { kind: string }) => kind === 'carrier_seconds');
    expect(quantity).toBeGreaterThan((Date.parse(ended.ended_at) - Date.parse(ended.answered_at)) / 1_000 + 0.5);
  });

  it('to a busy colleague fails with the reason, to a premium number is not dialled, and the call goes on', async () => {
    const { id, call } = ready.pop()!;
    const running = transfer(id, '+15554319002');
    peer.reply(await peer.invited('+15554319002'), '486 Busy Here');
    expect(await running).toMatchObject({ status: 'failed', error: { code: 'busy' } });
    expect(await account.call(id)).toMatchObject({
      status: 'in_progress',
      transfers: [{ status: 'busy', hangup_cause: 'user_busy', sip_code: 486 }],
    });
    expect(await transfer(id, '+19005550100')).toMatchObject({
      status: 'failed',
      error: { code: 'blocked_destination' },
    });
    expect(peer.requests.some(({ uri }) => uri.includes('19005550100'))).toBe(false);
    await call.hangUp();
    expect(await account.ended(id)).toMatchObject({ status: 'completed', ended_by: 'callee' });
  });
});
