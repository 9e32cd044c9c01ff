import { beforeAll, describe, expect, it } from '@jest/globals';
import { decode, pcmBytes } from '@app/telephony';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall, type TestCall, userSpeech } from '../../test/test-call.js';
import { interpolator } from '../speech/polyphase.js';
import type { SessionCommand, SessionCommandOutcome } from '../session-command.js';
import { type OtherSpeechEvent, ProviderUnavailable, type WordsOfOther } from '../providers/voice-provider.js';

const TAKE_OVER: SessionCommand = { type: 'take_over', name: 'Anna' };
const HAND_BACK: SessionCommand = { type: 'hand_back', reason: 'handed_back' };
const isAudible = (frame: Buffer): boolean =>
  frame.length === 640 ? frame.some((byte) => byte !== 0) : frame.some((byte) => byte !== 0xff);

/** Speech of a person in frames of L16. */
let speech: Buffer[];
const SILENCE = Buffer.alloc(640);

beforeAll(async () => {
  const wide = pcmBytes(interpolator(2).push(decode('PCMU', await userSpeech(1_600))));
  speech = Array.from({ length: Math.floor(wide.length / 640) }, (_, i) => wide.subarray(i * 640, (i + 1) * 640));
});

async function send(call: TestCall, command: SessionCommand): Promise<SessionCommandOutcome> {
  const outcome = call.session.command(command);
  await call.line.run(20);
  return outcome;
}

/** The person sends these frames, one per 20 ms of the call. */
async function personSays(call: TestCall, frames: readonly Buffer[]): Promise<void> {
  for (const frame of frames) {
    call.session.hearPerson(frame);
    await call.line.run(20);
  }
}

const silence = (ms: number): Buffer[] => Array.from({ length: ms / 20 }, () => SILENCE);
const turnsOf = (call: TestCall, role: string) => call.of('turn').filter((turn) => turn.role === role);

/** A provider that recognises the person as the test says. */
class Recognising extends PuppetProvider {
  readonly stream = { frames: 0, flushed: 0, closed: false };
  private report: (event: OtherSpeechEvent) => void = () => undefined;

  recogniseOther(_language: string | undefined, onEvent: (event: OtherSpeechEvent) => void): Promise<WordsOfOther> {
    this.report = onEvent;
    const { stream } = this;
    return Promise.resolve({
      send: () => void stream.frames++,
      flush: () => void stream.flushed++,
      close: () => (stream.closed = true),
    });
  }

  hears(text: string, endMs: number): void {
    this.report({ type: 'words', text, endMs });
  }
}

describe('a person who takes over', () => {
  it('stops the agent in the middle of its sentence, which is cut at what was heard', async () => {
    const provider = new PuppetProvider();
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    provider.last.respond('One two three four five six seven eight.', 4_000);
    await call.line.until(() => call.line.agentFrames === 50, 5_000);
    expect(await send(call, TAKE_OVER)).toMatchObject({ ok: true });
    expect(call.of('interrupted')).toMatchObject([{ by: 'supervisor', played_ms: 1_000 }]);
    expect(turnsOf(call, 'agent')).toMatchObject([{ truncated: true, ended_ms: expect.any(Number) }]);
    expect(provider.last.calls.join('\n')).toMatch(/truncate .* at 1000/);
    const from = call.line.sent.length;
    await personSays(call, silence(1_000));
    expect(call.line.sent.slice(from).some(isAudible)).toBe(false);
  });

  it('is heard by the user at once, frame by frame, while the agent neither speaks nor runs tools but hears the user', async () => {
    const provider = new PuppetProvider();
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    await send(call, TAKE_OVER);
    const from = call.line.sent.length;
    await personSays(call, speech);
    const heard = call.line.sent.slice(from).filter((frame) => frame.length === 640);
    expect(heard.length).toBeGreaterThan(speech.length - 5);
    expect(Buffer.concat(heard).equals(Buffer.concat(speech.slice(0, heard.length)))).toBe(true);
    provider.last.respond('I talk anyway.', 400);
    provider.last.emit({ type: 'tool_call', responseId: 'r', toolCallId: 't', name: 'end_call', arguments: '{}' });
    await personSays(call, silence(1_000));
    expect(call.end()).toBeUndefined();
    expect(turnsOf(call, 'agent')).toEqual([]);
    expect(provider.last.calls.join('\n')).toContain('agent_muted');
    const words = await userSpeech(20);
    await call.line.run(20, words);
    expect(provider.last.heard.equals(words)).toBe(true);
  });

  it('hands back: the agent learns what was said, and goes on', async () => {
    const provider = new Recognising();
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    provider.last.respond('Good morning.', 400);
    await call.line.until(() => turnsOf(call, 'agent').length === 1, 5_000);
    await send(call, TAKE_OVER);
    await personSays(call, [...silence(200), ...speech, ...silence(900)]);
    provider.hears('Your refund is on its way.', 1_700);
    await send(call, HAND_BACK);
    expect(turnsOf(call, 'supervisor')).toMatchObject([{ name: 'Anna', text: 'Your refund is on its way.' }]);
    const notes = provider.last.calls.join('\n');
    expect(notes).toContain('Your refund is on its way.');
    expect(notes.indexOf('handed the line back')).toBeGreaterThan(notes.indexOf('Your refund'));
    expect(provider.last.asked.at(-1)).toEqual({});
    expect(provider.stream).toMatchObject({ closed: true });
    expect(call.of('took_over')).toMatchObject([{ name: 'Anna' }]);
    expect(call.of('handed_back')).toMatchObject([{ name: 'Anna', reason: 'handed_back' }]);
    provider.last.respond('As Anna said.', 400);
    await call.line.until(() => turnsOf(call, 'agent').length === 2, 5_000);
  });

  it('without recognition has turns with their duration, and no words', async () => {
    const call = answeredCall();
    await call.line.run(100);
    await send(call, TAKE_OVER);
    await personSays(call, [...silence(200), ...speech, ...silence(1_000)]);
    const [turn] = turnsOf(call, 'supervisor');
    expect(turn?.text).toMatch(/^\[speech 1\.\d s\]$/);
    expect(turn!.ended_ms - turn!.started_ms).toBeGreaterThan(1_200);
  });

  it('whose words arrive after the line was handed back is still in the transcript, and the agent learns of them', async () => {
    const provider = new Recognising();
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    await send(call, TAKE_OVER);
    await personSays(call, [...silence(200), ...speech]);
    await send(call, HAND_BACK);
    expect(turnsOf(call, 'supervisor')).toEqual([]);
    await call.line.run(400);
    provider.hears('Goodbye.', 1_800);
    expect(turnsOf(call, 'supervisor')).toMatchObject([{ text: 'Goodbye.' }]);
    expect(provider.last.calls.at(-1)).toContain('Goodbye.');
    expect(provider.stream).toMatchObject({ closed: true });
  });

  it.each([
    ['sends no audio any more', 0, 'no_audio', 3_100],
    ['sends silence while the user says nothing', 31_000, 'silence', 100],
  ] as const)('who %s gives the line back', async (_title, silentMs, reason, waitMs) => {
    const call = answeredCall();
    await call.line.run(100);
    await send(call, TAKE_OVER);
    await personSays(call, speech);
    await personSays(call, silence(silentMs));
    await call.line.run(waitMs);
    expect(call.of('handed_back')).toMatchObject([{ reason }]);
    await call.line.until(() => turnsOf(call, 'agent').length > 0, 10_000);
  });

  it('cannot take over twice, nor while a tool has the line', async () => {
    const call = answeredCall();
    await call.line.run(100);
    await send(call, TAKE_OVER);
    expect(await send(call, { ...TAKE_OVER, name: 'Ben' })).toMatchObject({ ok: false, code: 'taken_over' });
    expect(await send(call, { type: 'take_line' })).toMatchObject({ ok: false, code: 'taken_over' });
    await send(call, HAND_BACK);
    await call.line.until(() => turnsOf(call, 'agent').length > 0, 10_000);
    void call.session.command({ type: 'take_line' });
    await call.line.run(200);
    expect(await send(call, TAKE_OVER)).toMatchObject({ ok: false, code: 'not_possible' });
  });

  it('keeps the call when the agent is lost meanwhile; the apology follows the hand-back', async () => {
    const provider = new PuppetProvider();
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    await send(call, TAKE_OVER);
    provider.failures = [new ProviderUnavailable('The key was rejected.')];
    provider.last.emit({ type: 'closed', reason: 'gone', final: true });
    await personSays(call, silence(8_000));
    expect(call.end()).toBeUndefined();
    await send(call, HAND_BACK);
    await call.line.until(() => call.end() !== undefined, 30_000);
    expect(call.end()).toMatchObject({ cause: 'agent_provider_error' });
    expect(turnsOf(call, 'agent')).toHaveLength(1);
  });
});

describe('an announcement', () => {
  it('waits for a pause', async () => {
    const call = answeredCall();
    await call.line.run(400);
    const announced = call.session.command({ type: 'announce', text: 'Somebody listens.', language: 'en' });
    await call.line.until(() => turnsOf(call, 'agent').length === 2, 20_000);
    expect(await announced).toMatchObject({ ok: true });
    expect(turnsOf(call, 'agent').map(({ truncated }) => truncated)).toEqual([false, false]);
  });

  it('interrupts an agent that does not pause', async () => {
    const provider = new PuppetProvider();
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    provider.last.respond('On and on.', 20_000);
    await call.line.run(200);
    const announced = call.session.command({ type: 'announce', text: 'Somebody listens.', language: 'en' });
    await call.line.until(() => turnsOf(call, 'agent').some(({ text }) => text === 'Somebody listens.'), 12_000);
    expect(await announced).toMatchObject({ ok: true });
  });
});
