import { describe, expect, it } from '@jest/globals';
import { encode } from '@app/telephony';
import { PuppetProvider } from '../test/puppet-provider.js';
import { answeredCall, userSpeech } from '../test/test-call.js';
import { totalUsage } from './usage.js';
import { summaryOf, transcriptOf } from './transcript/transcript.js';

const agentTurns = (events: Parameters<typeof transcriptOf>[0]) =>
  transcriptOf(events).filter((turn) => turn.role === 'agent');

describe('a call with the sandbox agent', () => {
  it('a user hears the greeting, gets an answer after speaking, and ends the call with key 9', async () => {
    const call = answeredCall();
    await call.line.until(() => call.of('turn').length === 1, 10_000);
    await call.line.run(300);
    const words = await userSpeech(1800);
    await call.line.run(1800, words);
    await call.line.until(() => agentTurns(call.events).length === 2, 60_000);
    call.line.press('9');
    await call.line.until(() => call.end() !== undefined, 20_000);

    expect(call.end()).toEqual({ endedBy: 'agent', cause: 'agent_hangup' });
    const turns = transcriptOf(call.events);
    expect(turns.map((turn) => turn.role)).toEqual(['agent', 'callee', 'agent', 'agent']);
    expect(turns[0]?.text).toBe('Hello, this is the tea house speaking.');
    expect(turns[1]?.text).toMatch(/^\[speech 1\.[5-9] s\]$/);
    expect(turns[2]?.text).toContain('I heard you speak for 2 seconds');
    expect(turns[3]?.text).toBe('You pressed nine. Thank you for talking with Ada. Goodbye.');
    expect(turns.every((turn) => !turn.truncated)).toBe(true);
    expect(call.of('tool_call')).toMatchObject([{ name: 'end_call', ok: true }]);
    expect(call.of('dtmf_input')).toMatchObject([{ digits: '9' }]);
  });

  it('a prepared agent sends its first audio within the first frames after the answer', async () => {
    const call = answeredCall();
    await call.line.until(() => call.line.sent.some((frame) => frame.some((byte) => byte !== 0xff)), 5000);
    expect(call.line.sent.length).toBeLessThanOrEqual(5);
  });

  it('audio for the provider may wait for more, except in a pause that may end the turn of the user', async () => {
    const provider = new PuppetProvider({ cancel: true, truncate: true, transcribesUser: true });
    const { line } = answeredCall({ provider: () => provider });
    await line.run(500);
    expect(provider.last.mayWait).toBe(180);
    const tone = encode(
      'PCMU',
      new Int16Array(300 * 8).map((_, i) => 8_000 * Math.sin(i / 3)),
    );
    await line.run(300, tone);
    expect(provider.last.mayWait).toBe(80);
    // No provider ends a turn after 60 ms of silence.
    await line.run(60);
    expect(provider.last.mayWait).toBe(80);
    await line.run(20);
    expect(provider.last.mayWait).toBe(0);
    // The turn of the provider lasts longer than the session's own detection.
    provider.last.emit({ type: 'speech_started', itemId: 'u1', audioMs: 500 });
    await line.run(1_000);
    expect(provider.last.mayWait).toBe(0);
    provider.last.emit({ type: 'speech_stopped', itemId: 'u1', audioMs: 1_800 });
    provider.last.emit({ type: 'user_text', itemId: 'u1', text: 'Two teas.' });
    await line.run(20);
    expect(provider.last.mayWait).toBe(180);
  });

  it('a silent line gets two idle prompts, then a goodbye and a hangup', async () => {
    const call = answeredCall();
    await call.line.until(() => call.end() !== undefined, 60_000);
    expect(call.end()).toEqual({ endedBy: 'agent', cause: 'agent_hangup' });
    expect(agentTurns(call.events).map((turn) => turn.text)).toEqual([
      'Hello, this is the tea house speaking.',
      'Are you still there?',
      'Are you still there?',
      'I cannot hear you, so I will hang up now. Goodbye.',
    ]);
    const prompts = call.of('turn_started').filter((turn) => turn.role === 'agent');
    const greetingEnd = agentTurns(call.events)[0]?.ended_ms ?? 0;
    expect((prompts[1]?.started_ms ?? 0) - greetingEnd).toBeGreaterThanOrEqual(10_000);
    expect((prompts[1]?.started_ms ?? 0) - greetingEnd).toBeLessThan(10_200);
  });

  it('a goodbye is not clipped: 150 ms of silence follow its last word', async () => {
    const call = answeredCall({ settings: { idle: { afterMs: 1000, prompts: 0 } } });
    await call.line.until(() => call.end() !== undefined, 20_000);
    const goodbye = agentTurns(call.events).at(-1);
    const ended = call.of('ended')[0];
    expect((ended?.at_ms ?? 0) - (goodbye?.ended_ms ?? 0)).toBeGreaterThanOrEqual(140);
  });

  it('the call ends at its maximum duration, with a warning 30 s before', async () => {
    const call = answeredCall({ settings: { maxCallSeconds: 40, idle: { afterMs: 100_000 } } });
    await call.line.until(() => call.end() !== undefined, 60_000);
    expect(call.end()).toEqual({ endedBy: 'system', cause: 'max_duration' });
    expect(call.of('time_warning')).toMatchObject([{ at_ms: 10_000 }]);
    expect(call.of('ended')[0]?.at_ms).toBe(40_000);
  });

  it('a hangup by the user ends the session at once, records what was heard, and leaves no timer', async () => {
    const call = answeredCall();
    await call.line.run(800);
    call.session.stop('user_hangup');
    const count = call.events.length;
    await call.line.run(15_000);
    expect(call.end()).toEqual({ endedBy: 'callee', cause: 'normal_clearing' });
    const turns = transcriptOf(call.events);
    expect(turns).toHaveLength(1);
    expect(turns[0]).toMatchObject({ role: 'agent', truncated: true });
    expect('Hello, this is the tea house speaking.'.startsWith(turns[0]?.text ?? '?')).toBe(true);
    expect(call.events).toHaveLength(count);
    expect(call.line.pendingTimers).toBe(0);
  });

  it('a line that closes unexpectedly leaves a transcript that is exact to 100 ms', async () => {
    const call = answeredCall();
    await call.line.run(1200);
    const playedMs = call.line.agentFrames * 20;
    call.line.close();
    call.session.stop('user_hangup');
    const turn = transcriptOf(call.events)[0];
    const heardMs = (turn?.ended_ms ?? 0) - (turn?.started_ms ?? 0);
    expect(heardMs).toBeLessThanOrEqual(playedMs);
    expect(heardMs).toBeGreaterThan(playedMs - 100);
  });

  it('the usage has exactly the seconds of the call, and the summary describes it', async () => {
    const call = answeredCall({ settings: { idle: { afterMs: 2000, prompts: 1 } } });
    await call.line.until(() => call.end() !== undefined, 60_000);
    const usage = totalUsage(call.of('usage'));
    const seconds = (call.of('ended')[0]?.at_ms ?? 0) / 1000;
    expect(usage).toMatchObject([{ kind: 'agent_seconds', quantity: seconds, source: 'sandbox' }]);
    expect(summaryOf(call.events)).toContain('It closed: "Goodbye." The agent ended the call.');
  });
});

describe('interruptions', () => {
  it('speech stops the agent after 200 ms, but not within its first second, and the transcript ends at the last played frame', async () => {
    const call = answeredCall();
    const words = await userSpeech(3000);
    await call.line.run(980, words);
    expect(call.of('interrupted')).toHaveLength(0);
    await call.line.run(500, words.subarray(980 * 8));
    const [cut] = call.of('interrupted');
    expect(cut?.at_ms).toBeGreaterThanOrEqual(1000);
    expect(cut?.at_ms).toBeLessThanOrEqual(1100);
    const turn = call.of('turn')[0];
    expect(turn?.truncated).toBe(true);
    expect(cut?.played_ms).toBe(call.line.agentFrames * 20);
    expect(call.line.queuedMs).toBe(0);
  });

  it('a short noise makes the agent quieter for a moment and does not stop it', async () => {
    const call = answeredCall();
    await call.line.run(1000);
    const levels = new Set<number>();
    const cough = await userSpeech(140);
    for (let at = 0; at < cough.length; at += 160) {
      await call.line.run(20, cough.subarray(at, at + 160));
      levels.add(call.line.attenuation);
    }
    expect(levels).toEqual(new Set([0, 12]));
    await call.line.run(140);
    expect(call.line.attenuation).toBe(0);
    expect(call.of('interrupted')).toEqual([]);
  });

  it('the agent has its full volume again after an interruption', async () => {
    const call = answeredCall();
    await call.line.run(1000);
    await call.line.run(400, await userSpeech(400));
    expect(call.of('interrupted')).toHaveLength(1);
    expect(call.line.attenuation).toBe(0);
  });

  it('a key press stops the agent, which then answers the key', async () => {
    const call = answeredCall();
    await call.line.run(1200);
    call.line.press('5');
    call.line.press('#');
    await call.line.until(() => call.of('turn').length === 2, 10_000);
    expect(call.of('interrupted')).toMatchObject([{ by: 'dtmf' }]);
    expect(agentTurns(call.events)[1]?.text).toBe('You pressed the key 5.');
  });

  it('speech does not interrupt a goodbye', async () => {
    const call = answeredCall({ settings: { idle: { afterMs: 500, prompts: 0 } } });
    await call.line.until(() => agentTurns(call.events).length === 1, 10_000);
    await call.line.until(() => call.of('turn_started').length === 2, 10_000);
    await call.line.run(1000, await userSpeech(1000));
    await call.line.until(() => call.end() !== undefined, 20_000);
    expect(agentTurns(call.events).at(-1)?.truncated).toBe(false);
  });
});
