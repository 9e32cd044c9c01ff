import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mediaOf, testMedia } from '../../../../test/full/interop/test-engine.js';
import { type CallLeg, EmbeddedEngine, type LegEnd } from '@app/telephony';
import { clip } from './conversations.js';
import { startSandboxPhone, type SandboxPhone } from './sandbox-phone.js';

const log = { debug: () => undefined, warn: () => undefined };

let phone: SandboxPhone;
let engine: EmbeddedEngine;

beforeEach(async () => {
  phone = await startSandboxPhone({
    bind: '127.0.0.1',
    port: 0,
    rtpPorts: { min: 32_000, max: 32_998 },
    log,
    ringMs: 20,
    patience: { greetingMs: 400, turnMs: 400, mailboxMs: 400, goodbyeMs: 300 },
  });
  engine = await EmbeddedEngine.start({
    sip: { bind: '127.0.0.1', port: 0, userAgent: 'caller', log },
    media: testMedia({ ports: { min: 33_000, max: 33_998 } }),
    codecs: ['PCMU', 'PCMA'],
  });
});

afterEach(async () => {
  await engine.close();
  await phone.close();
});

function dial(extension: string): { leg: CallLeg; ended: Promise<LegEnd> } {
  const leg = engine.dial({
    legId: extension,
    destination: { kind: 'sip', uri: `sip:${extension}@127.0.0.1:${phone.port}` },
    from: { number: '+15550001111' },
    ringTimeoutMs: 5_000,
  });
  return { leg, ended: new Promise((resolve) => leg.on('ended', resolve)) };
}

const eventOf = (leg: CallLeg, event: 'ringing' | 'answered'): Promise<void> =>
  new Promise((resolve) => leg.on(event, () => resolve()));

async function dialAnswered(extension: string): Promise<{ leg: CallLeg; ended: Promise<LegEnd> }> {
  const call = dial(extension);
  await eventOf(call.leg, 'answered');
  return call;
}

/** One second of synthesised speech. */
const greet = (leg: CallLeg): void => mediaOf(leg).write(clip('hello', mediaOf(leg).codec));

/** Resolves when a sent frame has come back. */
async function echoed(leg: CallLeg): Promise<void> {
  const sent = Buffer.alloc(160, 0x21);
  const heard = new Promise<void>((resolve) => mediaOf(leg).onFrame((frame) => frame.equals(sent) && resolve()));
  mediaOf(leg).write(sent);
  await heard;
}

const ofCall = (extension: string) => phone.calls.find((call) => call.extension === extension);

describe('the sandbox phone', () => {
  it.each([
    ['busy', { status: 'busy', cause: 'user_busy', sipCode: 486 }],
    ['reject', { status: 'busy', cause: 'call_rejected', sipCode: 603 }],
    ['status_404', { status: 'failed', cause: 'unallocated_number', sipCode: 404 }],
    ['nobody', { status: 'failed', cause: 'unallocated_number', sipCode: 404 }],
  ])('the extension %s refuses the call with its SIP status', async (extension, expected) => {
    expect(await dial(extension).ended).toMatchObject(expected);
    expect(phone.calls[0]).toMatchObject({ requestUser: extension, endedBy: 'refused', status: expected.sipCode });
  });

  it('the extension no_answer rings until the caller cancels', async () => {
    const { leg, ended } = dial('no_answer');
    await eventOf(leg, 'ringing');
    leg.hangup('cancelled');
    expect(await ended).toMatchObject({ status: 'cancelled' });
    expect(await phone.waitFor((call) => call.endedBy === 'cancelled')).toMatchObject({ extension: 'no_answer' });
    expect(ofCall('no_answer')?.answeredAt).toBeUndefined();
  });

  it('the extension answer waits for the greeting, talks for some turns and lets the caller hang up', async () => {
    const { leg, ended } = await dialAnswered('answer');
    const media = mediaOf(leg);
    greet(leg);
    await phone.waitFor((call) => call.said.length === 1);
    expect(ofCall('answer')).toMatchObject({ heardUtterances: 1, said: ['hello'] });
    media.write(clip('thanks', media.codec));
    await phone.waitFor((call) => call.said.length === 2);
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup' });
    const record = await phone.waitFor((call) => call.endedBy === 'caller');
    expect(record.heardVoiceMs).toBeGreaterThan(2_000);
    expect(record.heardVoiceMs).toBeLessThan(3_200);
  });

  it('the extension answer speaks first to a silent caller, and hangs up when the caller stays silent', async () => {
    const { ended } = await dialAnswered('answer');
    expect(await ended).toMatchObject({ status: 'completed', endedBy: 'callee' });
    expect(ofCall('answer')).toMatchObject({ said: ['hello'], heardVoiceMs: 0, endedBy: 'callee' });
  });

  it('the extension voicemail greets, beeps, listens and hangs up when the caller is silent', async () => {
    const { leg, ended } = await dialAnswered('voicemail');
    await phone.waitFor((call) => call.said.includes('mailbox'));
    greet(leg);
    expect(await ended).toMatchObject({ status: 'completed', endedBy: 'callee' });
    expect(ofCall('voicemail')).toMatchObject({ heardUtterances: 1, said: ['mailbox'] });
    const { beepedMs = 0, firstHeardMs = 0 } = ofCall('voicemail') ?? {};
    expect(beepedMs).toBeGreaterThan(1_000);
    expect(firstHeardMs).toBeGreaterThan(0);
  });

  it('the extension dtmf_menu presses its keys and records the keys of the caller', async () => {
    const { leg, ended } = await dialAnswered('dtmf_menu');
    const keys: string[] = [];
    const all = new Promise<void>((resolve) => mediaOf(leg).onDtmf((digit) => keys.push(digit) === 3 && resolve()));
    await leg.sendDtmf('7#');
    await all;
    expect(keys).toEqual(['1', '2', '9']);
    expect((await phone.waitFor((call) => call.digits.length === 2)).digits).toBe('7#');
    leg.hangup('agent_hangup');
    await ended;
  });

  it('the extension echo returns the audio of the caller', async () => {
    const { leg, ended } = await dialAnswered('echo');
    await echoed(leg);
    leg.hangup('agent_hangup');
    expect((await ended).status).toBe('completed');
  });

  it('the extension hangup_after hangs up after its time', async () => {
    const { ended } = await dialAnswered('hangup_after_0.2');
    expect(await ended).toMatchObject({ status: 'completed', endedBy: 'callee' });
    const { answeredAt = 0, endedAt = 0 } = await phone.waitFor((call) => call.endedBy === 'callee');
    expect(endedAt - answeredAt).toBeGreaterThanOrEqual(150);
  });

  it('the phone counts the dialogs of a hundred simultaneous calls', async () => {
    const ends = await Promise.all(Array.from({ length: 100 }, (_, i) => dial(`hangup_after_0.3-${i}`).ended));
    expect(ends.map((end) => end.status)).toEqual(Array.from({ length: 100 }, () => 'completed'));
    expect(ends.reduce((lost, end) => lost + end.stats.lost, 0)).toBe(0);
    expect(phone.invites.total).toBe(100);
    expect([...phone.invites.byUser.values()].every((count) => count === 1)).toBe(true);
    expect(phone.invites.byCallId.size).toBe(100);
    expect(phone.calls.every((call) => call.endedBy === 'callee')).toBe(true);
  });

  it('closing the phone refuses ringing calls and hangs up answered ones', async () => {
    const ringing = dial('no_answer');
    await eventOf(ringing.leg, 'ringing');
    const talking = await dialAnswered('echo');
    await echoed(talking.leg);
    await phone.close();
    expect(await ringing.ended).toMatchObject({ status: 'no_answer', sipCode: 480 });
    expect(await talking.ended).toMatchObject({ status: 'completed', endedBy: 'callee' });
    expect(phone.calls.map((call) => call.endedBy)).toEqual(['refused', 'callee']);
  });
});
