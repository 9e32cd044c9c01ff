import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { SILENT_FRAME } from '../../test/stepped-line.js';
import { answeredCall, speech, type TestCall, userSpeech } from '../../test/test-call.js';
import { LazyProvider, registerProvider } from '../providers/registry.js';
import { ToolFailed, type VoiceTool } from '../tools/tool-box.js';
import { transcriptOf } from '../transcript/transcript.js';

const DUPLEX = { cancel: false, truncate: false, transcribesUser: true };

async function withPuppet(options: { duplex?: boolean; tools?: VoiceTool[]; maxCallSeconds?: number } = {}) {
  const provider = options.duplex ? new PuppetProvider(DUPLEX) : new PuppetProvider();
  const settings = { maxCallSeconds: options.maxCallSeconds };
  const call = answeredCall({ provider: () => provider, tools: options.tools, settings });
  await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
  return { provider, call };
}

describe('a provider that is loaded when the call connects', () => {
  it('gets the speech and keys from before it was loaded, and answers them after the greeting', async () => {
    const provider = new PuppetProvider();
    let loaded = (): void => undefined;
    const loading = new Promise<void>((resolve) => (loaded = resolve));
    registerProvider('sandbox', async () => {
      await loading;
      return { problem: () => undefined, open: () => provider };
    });
    const call = answeredCall({
      provider: (line) => new LazyProvider({ name: 'sandbox', options: {} }, { speech, clock: line, settings: {} }),
    });
    await call.line.run(500, await userSpeech(500));
    call.line.press('8');
    call.line.press('#');
    expect(provider.attempts).toBe(0);
    loaded();
    await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);

    expect(provider.last.heard).toHaveLength(160);
    expect(provider.last.request.history).toEqual([{ role: 'user', text: '[The caller pressed the keys 8]' }]);
    const response = provider.last.begin('Hello.', 20);
    provider.last.emit({ type: 'response_done', responseId: response, status: 'completed' });
    expect(provider.last.asked).toEqual([{ say: 'Hello, this is the tea house speaking.' }, {}]);
  });

  it('is replaced by the next one when it cannot be used here', async () => {
    const next = new PuppetProvider();
    const call = answeredCall({
      provider: (line) => new LazyProvider({ name: 'unheard-of', options: {} }, { speech, clock: line, settings: {} }),
      fallbacks: [next],
    });
    await call.line.until(() => next.connections.length === 1, 100);
    expect(call.of('provider_lost')).toMatchObject([{ reason: expect.stringContaining('is not available here') }]);
  });
});

describe('a provider that can be cancelled and truncated', () => {
  it('the greeting is requested from the provider, and one response at a time', async () => {
    const { provider, call } = await withPuppet();
    expect(provider.last.asked).toEqual([{ say: 'Hello, this is the tea house speaking.' }]);
    const response = provider.last.begin('Hello.', 500);
    call.line.press('1');
    call.line.press('#');
    call.line.press('2');
    call.line.press('#');
    expect(provider.last.asked).toHaveLength(1);
    provider.last.emit({ type: 'response_done', responseId: response, status: 'completed' });
    expect(provider.last.asked).toHaveLength(2);
    expect(provider.last.calls).toEqual(['digits 1', 'digits 2']);
  });

  it('a response that the provider refused is requested again', async () => {
    const { provider } = await withPuppet();
    provider.last.emit({ type: 'response_started', responseId: 'theirs' });
    provider.last.emit({ type: 'response_refused' });
    expect(provider.last.asked).toHaveLength(1);
    provider.last.emit({ type: 'response_done', responseId: 'theirs', status: 'completed' });
    expect(provider.last.asked).toEqual([provider.last.asked[0], provider.last.asked[0]]);
  });

  it('an interruption truncates at the last played frame, and late audio is not played', async () => {
    const { provider, call } = await withPuppet();
    const response = provider.last.begin('one two three four five six seven eight nine ten', 4000);
    await call.line.run(1500);
    await call.line.run(400, await userSpeech(400));
    const cut = call.of('interrupted')[0];
    expect(cut?.played_ms).toBe(call.line.agentFrames * 20);
    expect(provider.last.calls).toEqual(['cancel', `truncate item-${response} at ${cut?.played_ms}`]);
    provider.last.more(response, 1000);
    expect(call.line.queuedMs).toBe(0);
    const heard = transcriptOf(call.events)[0];
    expect(heard).toMatchObject({ truncated: true });
    expect(heard?.text).toMatch(/^one two three four/);
    expect(heard?.text).not.toContain('eight');
  });

  it("the transcript has the user's words, even if they arrive late", async () => {
    const { provider, call } = await withPuppet();
    provider.last.respond('Hello.', 200);
    await call.line.run(2000);
    provider.last.emit({ type: 'speech_started', itemId: 'c1', audioMs: 600 });
    provider.last.emit({ type: 'speech_stopped', itemId: 'c1', audioMs: 1400 });
    expect(transcriptOf(call.events).filter((turn) => turn.role === 'callee')).toEqual([]);
    provider.last.emit({ type: 'user_text', itemId: 'c1', text: 'Good morning.' });
    const turn = transcriptOf(call.events).find(({ role }) => role === 'callee');
    expect(turn?.text).toBe('Good morning.');
    expect((turn?.ended_ms ?? 0) - (turn?.started_ms ?? 0)).toBe(800);
  });

  it('audio that does not fill a frame is padded, and none of it is lost', async () => {
    const { provider, call } = await withPuppet();
    provider.last.emit({ type: 'response_started', responseId: 'r' });
    for (const bytes of [100, 33, 250]) {
      provider.last.emit({ type: 'audio', responseId: 'r', itemId: 'i', audio: Buffer.alloc(bytes, 0x10) });
    }
    provider.last.emit({ type: 'response_done', responseId: 'r', status: 'completed' });
    await call.line.run(200);
    const loud = Buffer.concat(call.line.sent).filter((byte) => byte === 0x10).length;
    expect(loud).toBe(383);
  });

  it('the provider is notified 30 s before the maximum duration', async () => {
    const { provider, call } = await withPuppet({ maxCallSeconds: 31 });
    await call.line.run(1200);
    expect(provider.last.calls).toEqual([expect.stringMatching(/^system: The call ends in 30 seconds/)]);
  });
});

describe('a full-duplex provider', () => {
  it('a full-duplex provider is neither cancelled nor truncated, and late audio of an interrupted response is dropped', async () => {
    const { provider, call } = await withPuppet({ duplex: true });
    const response = provider.last.begin('A long story.', 4000);
    await call.line.run(1500);
    await call.line.run(400, await userSpeech(400));
    provider.last.more(response, 1000);
    expect(provider.last.calls).toEqual([]);
    expect(call.line.queuedMs).toBe(0);
    provider.last.emit({ type: 'response_done', responseId: response, status: 'completed' });
    provider.last.respond('Another one.', 400);
    expect(call.line.queuedMs).toBe(400);
  });

  it('an interruption reported by the provider stops the playback', async () => {
    const { provider, call } = await withPuppet({ duplex: true });
    provider.last.begin('A long story.', 4000);
    await call.line.run(300);
    provider.last.emit({ type: 'interrupted' });
    expect(call.of('interrupted')).toMatchObject([{ by: 'provider', played_ms: 300 }]);
    expect(call.line.queuedMs).toBe(0);
  });
});

describe('a provider that is slow or stalls', () => {
  const comforts = (call: TestCall) => transcriptOf(call.events).filter(({ text }) => text === 'One moment, please.');

  it('a response that does not begin is bridged by words of comfort, three at most, without 3 s of silence', async () => {
    const { provider, call } = await withPuppet();
    await call.line.run(12_000);
    expect(comforts(call)).toHaveLength(3);
    expect(longestSilence(call.line.sent.slice(0, 9_000 / 20))).toBeLessThanOrEqual(3_000);
    provider.last.respond('Hello.', 200);
    await call.line.run(5_000);
    expect(comforts(call)).toHaveLength(3);
  });

  it('an answer whose audio stops is bridged after the audio that was received', async () => {
    const { provider, call } = await withPuppet();
    provider.last.begin('Hello, and', 1_000);
    await call.line.run(3_200);
    expect(comforts(call)).toHaveLength(0);
    await call.line.run(1_800);
    expect(comforts(call)).toHaveLength(1);
    expect(longestSilence(call.line.sent)).toBeLessThanOrEqual(3_000);
  });

  it('a provider that reports delays itself is not bridged twice', async () => {
    const provider = new PuppetProvider({ ...DUPLEX, reportsDelays: true });
    const call = answeredCall({ provider: () => provider });
    await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
    await call.line.run(3_000);
    expect(comforts(call)).toHaveLength(0);
    provider.last.emit({ type: 'delayed' });
    await call.line.run(2_500);
    expect(comforts(call)).toHaveLength(1);
  });
});

/** In milliseconds. */
function longestSilence(sent: readonly Buffer[]): number {
  let [longest, current] = [0, 0];
  for (const frame of sent) longest = Math.max(longest, (current = frame.equals(SILENT_FRAME) ? current + 20 : 0));
  return longest;
}

describe('tools', () => {
  const echo: VoiceTool = {
    name: 'echo',
    description: 'Says it again.',
    parameters: { type: 'object' },
    run: async (args) => args,
  };
  const ask = (provider: PuppetProvider, name: string, args: string) => {
    provider.last.respond('Hello.', 200);
    provider.last.emit({ type: 'tool_call', responseId: 'x', toolCallId: 't1', name, arguments: args });
  };

  it('a tool runs and is recorded, and the model continues with its result', async () => {
    const { provider, call } = await withPuppet({ tools: [echo] });
    expect(provider.last.request.tools.map((tool) => tool.name)).toEqual(['end_call', 'send_dtmf', 'echo']);
    ask(provider, 'echo', '{"a":1}');
    await call.line.run(20);
    expect(provider.last.calls).toEqual(['result of t1: {"a":1}']);
    expect(provider.last.asked.at(-1)).toEqual({});
    expect(call.of('tool_call')).toMatchObject([{ name: 'echo', arguments: { a: 1 }, result: { a: 1 }, ok: true }]);
  });

  it('the send_dtmf tool presses keys on the line', async () => {
    const { provider, call } = await withPuppet();
    ask(provider, 'send_dtmf', '{"digits":"12#"}');
    await call.line.run(20);
    expect(call.line.tones).toEqual(['12#']);
    expect(call.of('dtmf_sent')).toMatchObject([{ digits: '12#' }]);
  });

  const slow: VoiceTool = { ...echo, name: 'slow', timeoutMs: 500, run: () => new Promise(() => undefined) };
  const broken: VoiceTool = { ...echo, name: 'broken', run: () => Promise.reject(new Error('connect 10.0.0.1')) };
  const picky: VoiceTool = {
    ...echo,
    name: 'picky',
    run: () => Promise.reject(new ToolFailed('no_stock', 'Sold out.')),
  };
  it.each([
    ['nothing', '{}', 'unknown_tool'],
    ['echo', '{', 'invalid_arguments'],
    ['echo', '[1]', 'invalid_arguments'],
    ['send_dtmf', '{"digits":"1a"}', 'invalid_arguments'],
    ['slow', '{}', 'timeout'],
    ['broken', '{}', 'tool_failed'],
    ['picky', '{}', 'no_stock'],
  ])('the tool call %s %s fails as %s, and the conversation continues', async (name, args, code) => {
    const { provider, call } = await withPuppet({ tools: [echo, slow, broken, picky] });
    ask(provider, name, args);
    await call.line.run(600);
    expect(call.of('tool_call')).toMatchObject([{ ok: false, result: { error: { code } } }]);
    expect(JSON.stringify(provider.last.calls)).not.toContain('10.0.0.1');
    expect(provider.last.asked.at(-1)).toEqual({});
  });

  it('a long tool result reaches the model as valid JSON of at most 8,000 characters', async () => {
    const long: VoiceTool = { ...echo, name: 'long', run: async () => ({ text: '"\n'.repeat(20_000) }) };
    const { provider, call } = await withPuppet({ tools: [long] });
    ask(provider, 'long', '{}');
    await call.line.run(20);
    const text = provider.last.calls[0]?.replace('result of t1: ', '') ?? '';
    expect(text.length).toBeLessThanOrEqual(8000);
    expect(JSON.parse(text)).toMatchObject({ truncated: true });
  });

  it('end_call waits until all speech was played', async () => {
    const { provider, call } = await withPuppet();
    const response = provider.last.begin('Goodbye then.', 1000);
    provider.last.emit({ type: 'tool_call', responseId: response, toolCallId: 't', name: 'end_call', arguments: '{}' });
    provider.last.emit({ type: 'response_done', responseId: response, status: 'completed' });
    await call.line.until(() => call.end() !== undefined, 3000);
    expect(transcriptOf(call.events)).toMatchObject([{ text: 'Goodbye then.', truncated: false }]);
    expect(call.line.now()).toBeGreaterThanOrEqual(1150);
    expect(call.end()).toEqual({ endedBy: 'agent', cause: 'agent_hangup' });
  });
});

describe('a failing event sink', () => {
  it('a failing event sink does not end the call', async () => {
    const { provider, call } = await withPuppet();
    call.events.push = () => {
      throw new Error('disk full');
    };
    provider.last.respond('Hello.', 200);
    await call.line.run(500);
    expect(call.end()).toBeUndefined();
    expect(call.line.agentFrames).toBe(10);
  });
});
