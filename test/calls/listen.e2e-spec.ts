import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PeerCall, SipPeer } from '../peers/sip-peer.js';
import { aToken } from '../support/factories.js';
import { contains, isSilent, likeness, ListenerSocket, sound, soundsLike } from '../support/listener-socket.js';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';

const service = Service.get();
const conversation = { idle: { after_seconds: 600 } };
let account: StoryAccount;
let peer: SipPeer;
let trunkId: number;
let callees = 0;

beforeAll(async () => {
  [account, peer] = await Promise.all([
    StoryAccount.open(service, { conversation, script: { rules: [{ on: 'speech', say: 'I am listening to you.' }] } }),
    SipPeer.start('127.0.43.9'),
  ]);
  trunkId = await trunkOf(account);
});
afterAll(async () => {
  await Promise.all([account?.close(), peer?.close()]);
  await service.close();
});

async function trunkOf({ me }: StoryAccount): Promise<number> {
  const trunk = { name: 'peer', host: peer.address, port: peer.port, options_ping_seconds: 0 };
  return (await me.post('/api/v1/trunks').send(trunk)).body.data.id as number;
}

interface LiveCall {
  id: string;
  call: PeerCall;
}

/** An answered call to the peer, whose agent has said its greeting. */
async function connected(by = account, trunk = trunkId): Promise<LiveCall> {
  const number = `+1555439${String((callees += 1)).padStart(4, '0')}`;
  const id = await by.place(number, { trunk_id: trunk });
  const call = await peer.answer(await peer.invited(number));
  await by.event(id, 'turn');
  return { id, call };
}

const urlOf = (id: string, query = '?format=pcmu'): string => `${service.baseUrl}/api/v1/calls/${id}/audio${query}`;

/** A listener that hears the call. */
async function listening(id: string, token = account.workspace.token): Promise<ListenerSocket> {
  const listener = await ListenerSocket.open(urlOf(id), token);
  await listener.untilFrames(5);
  return listener;
}

const command = (id: string, body: object, by = account) => by.me.post(`/api/v1/calls/${id}/commands`).send(body);

async function over({ id, call }: LiveCall, by = account): Promise<void> {
  await call.hangUp();
  await by.ended(id);
}

describe('a person who listens to a call', () => {
  it('hears the callee left and the agent right as they are on the line, and is named in the events and the audit log', async () => {
    const live = await connected();
    const listener = await listening(live.id);
    expect(listener.messages[0]).toMatchObject({ type: 'ready', call_id: live.id, channels: 2, may_speak: true });
    const spoken = sound(300);
    await live.call.audio.play(spoken);
    await listener.until(({ type, role, final }) => type === 'transcript' && role === 'agent' && final === true);
    const callee = listener.heard(0);
    expect(contains(callee, spoken)).toBe(true);
    expect(contains(listener.heard(1), spoken)).toBe(false);
    const agent = listener.heard(1);
    const loudFrom = agent.findIndex((byte) => byte !== 0xff && byte !== 0x7f);
    expect(loudFrom).toBeGreaterThanOrEqual(0);
    expect(contains(live.call.audio.recorded, agent.subarray(loudFrom, loudFrom + 8_000))).toBe(true);
    await listener.close();
    const { name } = await account.event(live.id, 'listener_joined');
    expect(await account.event(live.id, 'listener_left')).toEqual({ at_ms: expect.any(Number), name });
    const audit = await account.me.get('/api/v1/audit-events').query({ action: 'call.listened' });
    expect(audit.body.data[0]).toMatchObject({
      actor: { kind: 'token' },
      subject: { kind: 'call', id: live.id },
      details: { name },
    });
    await over(live);
  });

  it('gets 16-bit samples at 16 kHz by default, and the end of the call', async () => {
    const live = await connected();
    const listener = await ListenerSocket.openAsPage(urlOf(live.id, ''), account.workspace.token);
    await listener.untilFrames(5);
    expect(listener.messages[0]).toMatchObject({ type: 'ready', format: 'l16' });
    expect(listener.heard(0).length + listener.heard(1).length).toBe(listener.count * 1_280);
    await over(live);
    expect(await listener.untilClosed()).toBe(1_000);
    expect(listener.messages.at(-1)).toMatchObject({ type: 'ended' });
  });

  it('hears silence while the recording is paused', async () => {
    const live = await connected();
    const listener = await listening(live.id);
    await command(live.id, { type: 'pause_recording' });
    await account.event(live.id, 'recording_paused');
    const from = listener.count + 15;
    const spoken = sound(420, 800);
    await live.call.audio.play(spoken);
    await listener.untilFrames(from + 40);
    expect(isSilent(listener.heard(0, from))).toBe(true);
    expect(isSilent(listener.heard(1, from))).toBe(true);
    await command(live.id, { type: 'resume_recording' });
    await account.event(live.id, 'recording_resumed');
    const again = listener.count + 20;
    await listener.untilFrames(again);
    await live.call.audio.play(spoken);
    await listener.untilFrames(listener.count + 20);
    expect(contains(listener.heard(0, again), spoken)).toBe(true);
    await listener.close();
    await over(live);
  });

  it('is the twentieth at most', async () => {
    const live = await connected();
    const listeners = await Promise.all(Array.from({ length: 20 }, () => listening(live.id)));
    await expect(ListenerSocket.open(urlOf(live.id), account.workspace.token)).rejects.toThrow('429');
    await listeners[0]!.close();
    await account.event(live.id, 'listener_left');
    listeners[0] = await listening(live.id);
    await Promise.all(listeners.map((one) => one.close()));
    await over(live);
  });

  it('is announced to the callee before, when the account says so', async () => {
    const announcing = await StoryAccount.open(
      service,
      { conversation },
      { announce_listeners: { message: 'Somebody is listening.', language: 'en' } },
    );
    const live = await connected(announcing, await trunkOf(announcing));
    const listener = await ListenerSocket.open(urlOf(live.id), announcing.workspace.token);
    await listener.until(({ type }) => type === 'ready');
    expect(listener.count).toBe(0);
    const said = await listener.until(({ type, text }) => type === 'transcript' && text === 'Somebody is listening.');
    expect(said).toMatchObject({ role: 'agent' });
    await listener.untilFrames(5);
    expect(isSilent(listener.heard(1).subarray(0, 400))).toBe(true);
    await listener.close();
    await over(live, announcing);
    await announcing.close();
  });
});

describe('a person who takes over', () => {
  it('speaks to the callee instead of the agent, and hands the line back', async () => {
    const live = await connected();
    const listener = await listening(live.id);
    await command(live.id, { type: 'say', text: 'One two three four five six seven eight nine ten, and so on.' });
    await account.until<{ text: string }>(`/api/v1/calls/${live.id}`, () => listener.heard(1).some((b) => b !== 0xff));
    listener.startSpeaking();
    listener.send('take_over');
    await listener.untilState(({ speaker }) => speaker !== null);
    expect(await account.event(live.id, 'interrupted')).toMatchObject({ by: 'supervisor' });
    const spoken = sound(500, 800);
    const before = live.call.audio.recorded.length;
    listener.say(spoken);
    const turn = await listener.until(({ role, final }) => role === 'supervisor' && final === true);
    expect(turn.text).toMatch(/^\[speech \d\.\d s\]$/);
    const [heard, listened] = [live.call.audio.recorded.subarray(before), listener.heard(1)];
    await live.call.audio.play(sound(300, 1_000));
    await listener.until(
      ({ role, final, turn: n }) => role === 'callee' && final === true && Number(n) > Number(turn.turn),
    );
    listener.send('hand_back');
    await listener.untilState(({ speaker }) => speaker === null);
    await listener.until(
      ({ role, final, turn: n }) => role === 'agent' && final === true && Number(n) > Number(turn.turn),
    );
    const { name, at_ms: from } = await account.event(live.id, 'took_over');
    const back = await account.event(live.id, 'handed_back');
    expect(back).toMatchObject({ name, reason: 'handed_back' });
    const spokeMeanwhile = ({ type, data }: { type: string; data: Record<string, unknown> }): boolean =>
      type === 'turn' &&
      data.role === 'agent' &&
      Number(data.started_ms) > Number(from) &&
      Number(data.started_ms) < Number(back.at_ms);
    expect((await account.events(live.id)).filter(spokeMeanwhile)).toEqual([]);
    const events = await account.events(live.id);
    expect(events.find(({ data }) => data.role === 'supervisor' && data.text)?.data).toMatchObject({ name });
    const audit = await account.me.get('/api/v1/audit-events').query({ action: 'call.taken_over' });
    expect(audit.body.data[0]).toMatchObject({ subject: { kind: 'call', id: live.id }, details: { name } });
    await listener.close();
    // Only now: frames of the person would wait for the comparison.
    for (const audio of [heard, listened]) expect(soundsLike(audio, spoken)).toBe(true);
    await over(live);
    const { data } = account.sink.of(live.id).at(-1)!.body;
    expect(data['transcript']).toContainEqual(expect.objectContaining({ role: 'supervisor' }));
  });

  it('and closes the connection gives the line back within half a second', async () => {
    const live = await connected();
    const listener = await listening(live.id);
    listener.startSpeaking();
    listener.send('take_over');
    await listener.untilState(({ speaker }) => speaker !== null);
    const closedAt = Date.now();
    await listener.close();
    await account.event(live.id, 'handed_back');
    const { body } = await account.me.get(`/api/v1/calls/${live.id}/events`).set('Accept', 'application/json');
    const back = (body.data as { type: string; at: string; data: object }[]).find(
      ({ type }) => type === 'handed_back',
    )!;
    expect(back.data).toMatchObject({ reason: 'disconnected' });
    expect(Date.parse(back.at) - closedAt).toBeLessThan(500);
    await over(live);
  });

  it('and sends nothing any more does not leave the callee in silence', async () => {
    const live = await connected();
    const listener = await listening(live.id);
    listener.startSpeaking();
    listener.send('take_over');
    await listener.untilState(({ speaker }) => speaker !== null);
    const turns = live.call.audio.recorded.length;
    listener.stopSpeaking();
    expect(await account.event(live.id, 'handed_back')).toMatchObject({ reason: 'no_audio' });
    await listener.until(
      ({ type, role, final, turn }) => type === 'transcript' && role === 'agent' && final === true && Number(turn) > 0,
    );
    expect(live.call.audio.recorded.length).toBeGreaterThan(turns);
    await listener.close();
    await over(live);
  });

  it('needs the scope calls:write', async () => {
    const live = await connected();
    const token = await aToken(service.pool, account.workspace.accountId, ['calls:listen']);
    const listener = await listening(live.id, token);
    expect(listener.messages[0]).toMatchObject({ may_speak: false });
    listener.send('take_over');
    expect(await listener.until(({ type }) => type === 'error')).toMatchObject({ code: 'not_allowed' });
    await listener.close();
    await over(live);
  });
});

describe('a whisper', () => {
  it('is heard by the colleague of a conference only, and refused without one', async () => {
    const live = await connected();
    const listener = await listening(live.id);
    listener.send('whisper');
    expect(await listener.until(({ type }) => type === 'error')).toMatchObject({ code: 'no_colleague' });
    const number = '+15554398888';
    await command(live.id, { type: 'transfer', phone_number: number, mode: 'conference' });
    const colleague = await peer.answer(await peer.invited(number));
    await listener.untilState(({ can_whisper }) => can_whisper === true);
    listener.startSpeaking();
    listener.send('whisper');
    await listener.untilState(({ whisperer }) => whisperer !== null);
    const spoken = sound(700, 800);
    const part = spoken.subarray(1_600, 3_200);
    listener.say(spoken);
    await listener.untilFrames(listener.count + 100);
    expect(soundsLike(colleague.audio.recorded, spoken)).toBe(true);
    expect(likeness(live.call.audio.recorded, part)).toBeLessThan(0.6);
    await colleague.hangUp();
    await listener.untilState(({ can_whisper, whisperer }) => can_whisper === false && whisperer === null);
    await listener.close();
    await over(live);
  });
});

describe('listening is refused', () => {
  it('for the call of another account, in every way', async () => {
    const live = await connected();
    const other = await service.account();
    await expect(ListenerSocket.open(urlOf(live.id), other.token)).rejects.toThrow('404');
    const page = await ListenerSocket.openAsPage(urlOf(live.id), other.token);
    expect(await page.untilClosed()).toBe(4_404);
    expect(page.messages).toMatchObject([{ type: 'error', code: 'not_found', message: 'Call not found.' }]);
    expect((await service.as(other.token).get(`/api/v1/calls/${live.id}/audio`)).status).toBe(404);
    expect((await account.me.get(`/api/v1/calls/${live.id}/audio`)).status).toBe(426);
    await over(live);
  });

  it('without a valid token or the scope, for a wrong format, and for a call that is over', async () => {
    const live = await connected();
    const page = await ListenerSocket.openAsPage(urlOf(live.id), 'tk_wrong');
    expect(await page.untilClosed()).toBe(4_401);
    await expect(ListenerSocket.open(urlOf(live.id), 'tk_wrong')).rejects.toThrow('401');
    const reader = await aToken(service.pool, account.workspace.accountId, ['calls:read', 'calls:write']);
    await expect(ListenerSocket.open(urlOf(live.id), reader)).rejects.toThrow('403');
    const { token } = account.workspace;
    await expect(ListenerSocket.open(urlOf(live.id, '?format=mp3'), token)).rejects.toThrow('422');
    await over(live);
    await expect(ListenerSocket.open(urlOf(live.id), token)).rejects.toThrow('409');
  });

  it('within seconds after the token of the listener is revoked, while others go on to hear', async () => {
    const live = await connected();
    const created = await account.me
      .post('/api/v1/tokens')
      .send({ name: 'listener', scopes: ['calls:read', 'calls:listen'] });
    const { id, token } = created.body.data;
    const revoked = await listening(live.id, token);
    const other = await listening(live.id);
    await account.me.delete(`/api/v1/tokens/${id}`).expect(200);
    expect(await revoked.untilClosed()).toBe(4_401);
    await other.untilFrames(other.count + 25);
    await other.close();
    await over(live);
  });

  it('of a cookie from another page, and a listener that sends nonsense is closed', async () => {
    const live = await connected();
    const headers = { cookie: '__Host-trunkline-session=x', origin: 'https://evil.example' };
    const foreign = await ListenerSocket.openAsPage(urlOf(live.id), undefined, headers);
    expect(await foreign.untilClosed()).toBe(4_403);
    const own = await ListenerSocket.openAsPage(urlOf(live.id), undefined, { ...headers, origin: service.baseUrl });
    expect(await own.untilClosed()).toBe(4_401);
    const listener = await listening(live.id);
    listener.sendRaw(Buffer.alloc(7));
    expect(await listener.untilClosed()).toBe(4_400);
    await over(live);
  });
});
