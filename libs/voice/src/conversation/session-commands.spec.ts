import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall, type TestCall, userSpeech } from '../../test/test-call.js';
import type { SessionCommand, SessionCommandOutcome } from '../session-command.js';

const GREETING = 'Hello, this is the tea house speaking.';
const WORDS = 'Your tea is at the door.';
const isAudible = (frame: Buffer): boolean => frame.some((byte) => byte !== 0xff);

/** Sends a command; the outcome appears when it is settled. */
function send(call: TestCall, command: SessionCommand): { outcome?: SessionCommandOutcome } {
  const sent: { outcome?: SessionCommandOutcome } = {};
  void call.session.command(command).then((outcome) => (sent.outcome = outcome));
  return sent;
}

const say = (when: 'next_pause' | 'now' = 'next_pause', text = WORDS): SessionCommand => ({
  type: 'say',
  commandId: 'command-1',
  text,
  when,
});

const settled = (call: TestCall, sent: { outcome?: SessionCommandOutcome }, limitMs = 20_000): Promise<void> =>
  call.line.until(() => sent.outcome !== undefined, limitMs);

const said = (call: TestCall) => call.of('turn').filter(({ role }) => role === 'agent');

describe('the command say', () => {
  it('waits for the end of the greeting, is in the transcript with its id, and is done when its audio was played', async () => {
    const call = answeredCall();
    await call.line.run(400);
    const sent = send(call, say());
    await settled(call, sent);
    expect(said(call).map(({ text, command_id, truncated }) => [text, command_id, truncated])).toEqual([
      [GREETING, undefined, false],
      [WORDS, 'command-1', false],
    ]);
    const turn = said(call)[1]!;
    expect(sent.outcome).toEqual({
      ok: true,
      atMs: turn.ended_ms,
      result: { played_ms: turn.ended_ms - turn.started_ms, text: WORDS },
    });
    expect(call.of('interrupted')).toEqual([]);
  });

  it('with `now` interrupts the agent', async () => {
    const call = answeredCall();
    await call.line.run(600);
    const sent = send(call, say('now'));
    await settled(call, sent);
    expect(call.of('interrupted')).toMatchObject([{ by: 'command' }]);
    expect(said(call).map(({ text, truncated }) => [text === WORDS, truncated])).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(said(call)[1]!.started_ms).toBeLessThan(900);
  });

  it('waits until the user has spoken and was answered', async () => {
    const call = answeredCall();
    await call.line.until(() => said(call).length === 1, 10_000);
    await call.line.run(300);
    const words = await userSpeech(1_800);
    await call.line.run(400, words);
    const sent = send(call, say());
    await call.line.run(1_400, words.subarray(400 * 8));
    expect(said(call)).toHaveLength(1);
    await settled(call, sent, 60_000);
    expect(call.of('turn').map(({ role, command_id }) => [role, command_id])).toEqual([
      ['agent', undefined],
      ['callee', undefined],
      ['agent', undefined],
      ['agent', 'command-1'],
    ]);
  });

  it('fails with the heard words when the user interrupts it', async () => {
    const call = answeredCall();
    await call.line.until(() => said(call).length === 1, 10_000);
    const sent = send(call, say('now', 'One two three four five six seven eight nine ten eleven twelve thirteen.'));
    await call.line.run(1_500);
    await call.line.run(1_000, await userSpeech(1_000));
    await settled(call, sent);
    expect(sent.outcome).toMatchObject({
      ok: false,
      code: 'interrupted',
      result: { text: expect.stringMatching(/^One two/) },
    });
    expect(sent.outcome!.result!.played_ms).toBeGreaterThan(900);
  });

  it('fails when the call ends before', async () => {
    const call = answeredCall();
    await call.line.run(200);
    const [waiting, playing] = [send(call, say()), send(call, say('now'))];
    await call.line.run(400);
    call.session.stop('user_hangup');
    await call.line.run(20);
    expect([waiting.outcome, playing.outcome]).toMatchObject([{ code: 'call_ended' }, { code: 'call_ended' }]);
    const late = send(call, say());
    await call.line.run(20);
    expect(late.outcome).toMatchObject({ ok: false, code: 'agent_left' });
    expect(call.line.pendingTimers).toBe(0);
  });

  it('is spoken by the local voice when the provider takes words as a suggestion only', async () => {
    const provider = new PuppetProvider({
      cancel: false,
      truncate: false,
      transcribesUser: true,
      speaksGivenWords: false,
    });
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    provider.last.respond('Good morning.', 400);
    await call.line.until(() => said(call).length === 1, 5_000);
    const sent = send(call, say());
    await settled(call, sent);
    expect(said(call)[1]).toMatchObject({ text: WORDS, command_id: 'command-1' });
    expect(sent.outcome).toMatchObject({ ok: true, result: { text: WORDS } });
    expect(provider.last.calls.join('\n')).toContain(`These words were spoken to the caller for you: "${WORDS}"`);
  });

  it('is repeated by the local voice when the provider is lost before it spoke', async () => {
    const provider = new PuppetProvider();
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    provider.last.respond('Good morning.', 400);
    await call.line.until(() => said(call).length === 1, 5_000);
    const sent = send(call, say());
    await call.line.run(40);
    expect(provider.last.asked.at(-1)).toEqual({ say: WORDS });
    provider.last.emit({ type: 'closed', reason: 'test' });
    await settled(call, sent);
    expect(sent.outcome).toMatchObject({ ok: true, result: { text: WORDS } });
  });

  it('is spoken after an answer that the provider began by itself', async () => {
    const provider = new PuppetProvider();
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    provider.last.respond('Good morning.', 400);
    await call.line.until(() => said(call).length === 1, 5_000);
    const sent = send(call, say());
    await call.line.run(40);
    const responseId = provider.last.begin('I heard you.', 300);
    provider.last.emit({ type: 'response_refused' });
    provider.last.emit({ type: 'response_done', responseId, status: 'completed' });
    await call.line.run(600);
    expect(sent.outcome).toBeUndefined();
    provider.last.respond(WORDS, 500);
    await settled(call, sent);
    expect(said(call).map(({ text, command_id }) => [text, command_id])).toEqual([
      ['Good morning.', undefined],
      ['I heard you.', undefined],
      [WORDS, 'command-1'],
    ]);
    expect(sent.outcome).toMatchObject({ ok: true, result: { played_ms: 500, text: WORDS } });
  });
});

describe('the command inject', () => {
  it('gives the model a note that is not spoken, and makes it speak about it on request', async () => {
    const call = answeredCall();
    await call.line.until(() => said(call).length === 1, 10_000);
    const silent = send(call, { type: 'inject', note: 'The shop is closed.', respond: false });
    await call.line.run(1_000);
    expect(silent.outcome).toMatchObject({ ok: true, result: { responded: false } });
    expect(said(call)).toHaveLength(1);
    const spoken = send(call, { type: 'inject', note: 'The order left at nine.', respond: true });
    await call.line.until(() => said(call).length === 2, 10_000);
    expect(spoken.outcome).toMatchObject({ ok: true, result: { responded: true } });
    expect(said(call)[1]!.text).toContain('The order left at nine');
  });
});

describe('the command mute_agent', () => {
  it('silences the agent at once, keeps it silent while the user speaks and presses keys, and ends with unmute_agent', async () => {
    const call = answeredCall();
    await call.line.run(600);
    const muted = send(call, { type: 'mute_agent' });
    await call.line.run(40);
    expect(muted.outcome).toMatchObject({ ok: true });
    const from = call.line.sent.length;
    const words = await userSpeech(1_800);
    await call.line.run(1_800, words);
    call.line.press('5');
    await call.line.run(30_000);
    expect(call.line.sent.slice(from).some(isAudible)).toBe(false);
    expect(call.of('idle_prompt')).toEqual([]);
    expect(call.of('turn').filter(({ role }) => role === 'callee')).toHaveLength(1);

    const unmuted = send(call, { type: 'unmute_agent' });
    await call.line.run(200);
    expect(unmuted.outcome).toMatchObject({ ok: true });
    await call.line.run(1_800, words);
    await call.line.until(() => said(call).length === 2, 60_000);
  });

  it('lets `say` speak, and runs no tool of the model', async () => {
    const provider = new PuppetProvider();
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    provider.last.respond('Good morning.', 400);
    await call.line.until(() => said(call).length === 1, 5_000);
    send(call, { type: 'mute_agent' });
    provider.last.respond('I talk anyway.', 400);
    provider.last.emit({ type: 'tool_call', responseId: 'r', toolCallId: 't', name: 'end_call', arguments: '{}' });
    await call.line.run(1_000);
    expect(call.end()).toBeUndefined();
    expect(provider.last.calls.join('\n')).toContain('agent_muted');
    const sent = send(call, say());
    await call.line.run(40);
    provider.last.respond(WORDS, 500);
    await settled(call, sent);
    expect(said(call).map(({ text }) => text)).toEqual(['Good morning.', WORDS]);
  });
});

describe('the line', () => {
  it('can be taken from the agent, which neither hears nor speaks until it returns, and then hears why', async () => {
    const provider = new PuppetProvider();
    const call = answeredCall({ provider: () => provider });
    await call.line.run(100);
    provider.last.respond('Good morning.', 400);
    const taken = send(call, { type: 'take_line' });
    await settled(call, taken, 5_000);
    expect(said(call)).toHaveLength(1);
    provider.last.respond('Unwelcome.', 400);
    await call.line.run(1_000, await userSpeech(1_000));
    expect(said(call)).toHaveLength(1);
    expect(isAudible(provider.last.heard)).toBe(false);
    const asked = provider.last.asked.length;
    send(call, { type: 'return_line', note: 'The transfer failed: busy.' });
    await call.line.run(60);
    expect(provider.last.calls.join('\n')).toContain('The transfer failed: busy.');
    expect(provider.last.asked.slice(asked)).toEqual([{}]);
  });

  it('can be left by the agent, silently', async () => {
    const call = answeredCall();
    await call.line.until(() => said(call).length === 1, 10_000);
    const taken = send(call, { type: 'take_line' });
    await settled(call, taken, 5_000);
    send(call, { type: 'leave' });
    await call.line.run(40);
    expect(call.end()).toEqual({ endedBy: 'agent', cause: 'transferred' });
  });
});
