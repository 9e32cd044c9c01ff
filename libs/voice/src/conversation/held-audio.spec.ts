import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall, type TestCall, userSpeech } from '../../test/test-call.js';
import type { VoiceTool } from '../tools/tool-box.js';
import { transcriptOf } from '../transcript/transcript.js';

const JUDGE = { cancel: true, truncate: true, transcribesUser: true, judgesInterruptions: true } as const;
const STORY = 'one two three four five six seven eight nine ten';
const FRAMES = 150;
/** Frames that differ from each other and from silence. */
const storyFrame = (index: number): Buffer => Buffer.alloc(160, 1 + (index % 100));
const isSilent = (frame: Buffer): boolean => frame.every((byte) => byte === 0xff);

/** The numbers of the frames that the user heard. */
const heardFrames = ({ line }: TestCall): number[] =>
  line.sent.filter((frame) => !isSilent(frame)).map((frame) => frame[0]! - 1);
const storyUpTo = (frames: number): number[] => Array.from({ length: frames }, (_, index) => index % 100);

async function telling(options: { tools?: VoiceTool[]; fallbacks?: PuppetProvider[] } = {}) {
  const provider = new PuppetProvider(JUDGE);
  const call = answeredCall({ provider: () => provider, ...options });
  await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
  const item = { responseId: 'r1', itemId: 'i1' };
  provider.last.emit({ type: 'response_started', responseId: 'r1' });
  provider.last.emit({ type: 'agent_text', ...item, text: STORY });
  const audio = Buffer.concat(Array.from({ length: FRAMES }, (_, index) => storyFrame(index)));
  provider.last.emit({ type: 'audio', ...item, audio });
  const done = () => provider.last.emit({ type: 'response_done', responseId: 'r1', status: 'completed' });
  return { provider, call, done };
}

/** The same after 1.2 s of the story and 400 ms of the user's speech. */
async function held(options: Parameters<typeof telling>[0] = {}) {
  const all = await telling(options);
  await all.call.line.run(1_200);
  await all.call.line.run(400, await userSpeech(400));
  const framesAtHold = all.call.line.agentFrames;
  return { ...all, framesAtHold };
}

describe('speech over an agent whose provider judges interruptions', () => {
  it('makes the agent silent within 250 ms, and drops nothing', async () => {
    const { call, framesAtHold, provider } = await held();
    const sinceSpeech = call.line.sent.slice(-400 / 20);
    expect(sinceSpeech.findIndex(isSilent)).toBeLessThanOrEqual(250 / 20);
    expect(sinceSpeech.slice(-4).every(isSilent)).toBe(true);
    expect(call.line.queuedMs).toBe((FRAMES - framesAtHold) * 20);
    expect(call.of('interrupted')).toEqual([]);
    expect(provider.last.calls).toEqual([]);
  });

  it('that interrupts it drops the rest, and truncates at the last played frame', async () => {
    const { call, provider, framesAtHold } = await held();
    await call.line.run(300);
    provider.last.emit({ type: 'interrupted' });
    const playedMs = framesAtHold * 20;
    expect(call.of('interrupted')).toMatchObject([{ by: 'speech', played_ms: playedMs }]);
    expect(provider.last.calls).toEqual(['cancel', `truncate i1 at ${playedMs}`]);
    expect(call.line.queuedMs).toBe(0);
    const turn = transcriptOf(call.events)[0]!;
    expect(turn).toMatchObject({ truncated: true });
    expect(turn.ended_ms - turn.started_ms).toBe(playedMs);
    expect(heardFrames(call)).toEqual(storyUpTo(framesAtHold));
  });

  it('that is an acknowledgement lets it continue where it stopped: every frame is heard once', async () => {
    const { call, provider, done, framesAtHold } = await held();
    await call.line.run(300);
    const heldFrames = call.line.sent.length - call.line.sent.findLastIndex((frame) => !isSilent(frame)) - 1;
    provider.last.emit({ type: 'not_interrupted' });
    await call.line.run(20);
    expect(call.line.agentFrames).toBe(framesAtHold + 1);
    done();
    await call.line.until(() => call.of('turn').length > 0, 5_000);
    expect(heardFrames(call)).toEqual(storyUpTo(FRAMES));
    expect(call.of('interrupted')).toEqual([]);
    const turn = transcriptOf(call.events)[0]!;
    expect(turn).toMatchObject({ truncated: false, text: STORY });
    expect(turn.ended_ms - turn.started_ms).toBe((FRAMES + heldFrames) * 20);
  });

  it('continues by itself when the provider does not judge: no silence lasts three seconds', async () => {
    const { call, done } = await held();
    done();
    await call.line.until(() => call.of('turn').length > 0, 8_000);
    expect(heardFrames(call)).toEqual(storyUpTo(FRAMES));
    const silence = call.line.sent.map((frame) => (isSilent(frame) ? '-' : '#')).join('');
    expect(Math.max(...silence.split('#').map((gap) => gap.length * 20))).toBeLessThan(2_000);
    expect(call.line.attenuation).toBe(0);
  });

  it('does not hold it within its guarded first second', async () => {
    const { call } = await telling();
    await call.line.run(900, await userSpeech(900));
    expect(call.line.agentFrames).toBe(45);
  });

  it('is recorded with the reason of the decision, without the words', async () => {
    const { call, provider } = await held();
    const decision = { outcome: 'acknowledgement', reason: 'only_acknowledgements', waitedMs: 120.4 } as const;
    provider.last.emit({ type: 'speech_started', itemId: 'u1', audioMs: 1_200 });
    provider.last.emit({ type: 'speech_stopped', itemId: 'u1', audioMs: 1_500 });
    provider.last.emit({ type: 'user_text', itemId: 'u1', text: 'Uh-huh.' });
    provider.last.emit({ type: 'turn_decision', itemId: 'u1', decision: { ...decision, text: 'Uh-huh.' } });
    provider.last.emit({
      type: 'turn_decision',
      itemId: 'unknown',
      decision: { outcome: 'noise', reason: 'no_words', waitedMs: 0, text: '' },
    });
    expect(call.of('turn_decision')).toEqual([
      expect.objectContaining({ turn: 2, outcome: 'acknowledgement', reason: 'only_acknowledgements', waited_ms: 120 }),
      expect.not.objectContaining({ turn: expect.anything() }),
    ]);
    expect(JSON.stringify(call.of('turn_decision'))).not.toContain('huh');
    // The provider's own detection of speech does not interrupt either.
    expect(call.of('interrupted')).toEqual([]);
  });
});

describe('while the audio is held', () => {
  it('more audio of the response waits behind the held audio', async () => {
    const { call, provider, framesAtHold } = await held();
    provider.last.emit({ type: 'audio', responseId: 'r1', itemId: 'i1', audio: storyFrame(FRAMES) });
    await call.line.run(100);
    expect(call.line.agentFrames).toBe(framesAtHold);
    provider.last.emit({ type: 'not_interrupted' });
    provider.last.emit({ type: 'response_done', responseId: 'r1', status: 'completed' });
    await call.line.until(() => call.of('turn').length > 0, 5_000);
    expect(heardFrames(call)).toEqual(storyUpTo(FRAMES + 1));
  });

  it('another response is timed from when it is heard', async () => {
    const { call, provider, done } = await held();
    done();
    const before = call.line.now();
    provider.last.emit({ type: 'response_started', responseId: 'r2' });
    provider.last.emit({ type: 'audio', responseId: 'r2', itemId: 'i2', audio: Buffer.alloc(1_600, 0x10) });
    provider.last.emit({ type: 'response_done', responseId: 'r2', status: 'completed' });
    await call.line.run(400);
    const heldMs = call.line.now() - before;
    provider.last.emit({ type: 'not_interrupted' });
    await call.line.until(() => call.of('turn').length === 2, 5_000);
    const [first, second] = call.of('turn');
    expect(second!.started_ms).toBe(first!.ended_ms);
    expect(second!.ended_ms - second!.started_ms).toBe(200);
    expect(heldMs).toBe(400);
  });

  it('a key interrupts the agent', async () => {
    const { call, framesAtHold } = await held();
    call.line.press('5');
    expect(call.of('interrupted')).toMatchObject([{ by: 'dtmf', played_ms: framesAtHold * 20 }]);
    await call.line.run(200);
    expect(call.line.agentFrames).toBe(framesAtHold);
  });

  it('the command say now replaces the held audio, and its words are heard in full', async () => {
    const { call, provider, framesAtHold } = await held();
    await call.line.run(600);
    void call.session.command({ type: 'say', commandId: 'c1', text: 'Stop.', when: 'now' });
    expect(call.of('interrupted')).toMatchObject([{ by: 'command', played_ms: framesAtHold * 20 }]);
    provider.last.emit({ type: 'response_done', responseId: 'r1', status: 'cancelled' });
    provider.last.respond('Stop.', 400);
    await call.line.until(() => call.of('turn').length === 2, 5_000);
    expect(call.of('turn')[1]).toMatchObject({ command_id: 'c1', truncated: false });
    expect(call.line.agentFrames).toBe(framesAtHold + 20);
  });

  it('a muted agent stays silent', async () => {
    const { call, provider, framesAtHold } = await held();
    void call.session.command({ type: 'mute_agent' });
    provider.last.emit({ type: 'not_interrupted' });
    await call.line.run(3_000);
    expect(call.line.agentFrames).toBe(framesAtHold);
    expect(call.of('interrupted')).toMatchObject([{ by: 'command' }]);
  });

  it('a hangup ends the call at once, with the transcript of what was heard, and leaves no timer', async () => {
    const { call, framesAtHold } = await held();
    call.session.stop('user_hangup');
    expect(transcriptOf(call.events)[0]).toMatchObject({ truncated: true });
    const turn = transcriptOf(call.events)[0]!;
    expect(turn.ended_ms - turn.started_ms).toBe(framesAtHold * 20);
    await call.line.run(40);
    expect(call.end()).toEqual({ endedBy: 'callee', cause: 'normal_clearing' });
    expect(call.line.pendingTimers).toBe(0);
    expect(call.line.agentFrames).toBe(framesAtHold);
  });

  it('an agent that ends the call says its last words to the end', async () => {
    const { call, provider, done } = await held();
    provider.last.emit({ type: 'tool_call', responseId: 'r1', toolCallId: 't1', name: 'end_call', arguments: '{}' });
    done();
    await call.line.until(() => call.end() !== undefined, 8_000);
    expect(call.end()).toEqual({ endedBy: 'agent', cause: 'agent_hangup' });
    expect(heardFrames(call)).toEqual(storyUpTo(FRAMES));
  });

  it('a tool that takes the line begins after the agent has finished', async () => {
    const log: string[] = [];
    const transfer: VoiceTool = {
      name: 'transfer',
      description: 'Transfers.',
      parameters: { type: 'object' },
      takesLine: true,
      run: async () => {
        log.push(`after ${heardFrames(call).length} frames`);
        return 'busy';
      },
    };
    const { call, provider, done } = await held({ tools: [transfer] });
    provider.last.emit({ type: 'tool_call', responseId: 'r1', toolCallId: 't1', name: 'transfer', arguments: '{}' });
    done();
    await call.line.until(() => call.of('tool_call').length > 0, 8_000);
    expect(log).toEqual([`after ${FRAMES} frames`]);
  });

  it('a tool runs, and its answer is heard after the held audio', async () => {
    const tool: VoiceTool = {
      name: 'look',
      description: 'Looks.',
      parameters: { type: 'object' },
      run: async () => 'found',
    };
    const { call, provider, done } = await held({ tools: [tool] });
    provider.last.emit({ type: 'tool_call', responseId: 'r1', toolCallId: 't1', name: 'look', arguments: '{}' });
    done();
    await call.line.run(100);
    expect(provider.last.asked).toHaveLength(2);
    provider.last.respond('Found it.', 200);
    provider.last.emit({ type: 'not_interrupted' });
    await call.line.until(() => call.of('turn').length === 2, 8_000);
    expect(heardFrames(call)).toEqual([...storyUpTo(FRAMES), ...Array.from({ length: 10 }, () => 0x0f)]);
  });

  it('a lost provider judges nothing: a user who still speaks interrupts, and the next provider knows what was heard', async () => {
    const next = new PuppetProvider(JUDGE);
    const { call, provider } = await telling({ fallbacks: [next] });
    await call.line.run(1_200);
    const words = await userSpeech(800);
    await call.line.run(400, words);
    const framesAtHold = call.line.agentFrames;
    provider.last.emit({ type: 'closed', reason: 'gone', final: true });
    await call.line.run(400, words.subarray(400 * 8));
    expect(call.of('interrupted')).toMatchObject([{ by: 'speech', played_ms: framesAtHold * 20 }]);
    const [turn] = next.last.request.history.filter(({ role }) => role === 'agent');
    expect(STORY.startsWith(turn!.text)).toBe(true);
  });

  it('a lost provider judges nothing: after the voice the agent continues to the end of its audio', async () => {
    const { call, provider } = await held();
    await call.line.run(300);
    provider.last.emit({ type: 'closed', reason: 'gone' });
    await call.line.until(() => call.of('turn').length > 0, 5_000);
    expect(heardFrames(call).slice(0, FRAMES)).toEqual(storyUpTo(FRAMES));
  });

  it('the user is not asked whether they are still there', async () => {
    const { call } = await telling();
    await call.line.run(1_200);
    const words = await userSpeech(2_800);
    await call.line.run(2_800, words);
    expect(call.of('idle_prompt')).toEqual([]);
  });
});
