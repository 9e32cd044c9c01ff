import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall } from '../../test/test-call.js';
import type { TurnDecision } from '../providers/voice-provider.js';
import type { SessionSettings } from '../session-options.js';
import type { VoiceTool } from '../tools/tool-box.js';

function puppetCall(tools: VoiceTool[] = [], settings: Partial<SessionSettings> = {}) {
  const provider = new PuppetProvider();
  const call = answeredCall({ provider: () => provider, tools, settings });
  const speech = (itemId: string, from: number, to: number) => {
    provider.last.emit({ type: 'speech_started', itemId, audioMs: from });
    provider.last.emit({ type: 'speech_stopped', itemId, audioMs: to });
    provider.last.emit({ type: 'user_text', itemId, text: 'Two teas.' });
  };
  const latencies = () => call.of('turn').map(({ role, latency }) => [role, latency]);
  return { ...call, provider, speech, latencies };
}

const decision = (outcome: TurnDecision['outcome']): TurnDecision => ({
  outcome,
  reason: 'silence',
  waitedMs: 300,
  text: 'Two teas.',
});

describe('the latency of an answer', () => {
  it('counts each step from the end of the speech until the first frame is on the wire', async () => {
    const { line, provider, speech, latencies } = puppetCall();
    await line.run(1_000);
    speech('u1', 200, 700);
    await line.run(100);
    provider.last.emit({ type: 'turn_decision', itemId: 'u1', decision: decision('turn_ended') });
    await line.run(200);
    provider.last.emit({ type: 'response_started', responseId: 'r1' });
    provider.last.emit({ type: 'first_token', responseId: 'r1' });
    await line.run(300);
    provider.last.emit({ type: 'agent_text', responseId: 'r1', itemId: 'i1', text: 'Here you are.' });
    const audio = Buffer.alloc(1_600, 0x10);
    provider.last.emit({ type: 'audio', responseId: 'r1', itemId: 'i1', audio });
    provider.last.emit({ type: 'response_done', responseId: 'r1', status: 'completed' });
    await line.run(400);
    const latency = { input_ended_ms: 700, endpoint_ms: 400, first_token_ms: 600, first_audio_ms: 900, heard_ms: 920 };
    expect(latencies()).toEqual([
      ['callee', undefined],
      ['agent', latency],
    ]);
  });

  it('without a decision of the provider the end of the turn is the report of the speech', async () => {
    const { line, provider, speech, latencies } = puppetCall();
    await line.run(1_000);
    speech('u1', 200, 700);
    await line.run(200);
    provider.last.respond('Here you are.', 200);
    await line.run(400);
    const latency = { input_ended_ms: 700, endpoint_ms: 300, first_audio_ms: 500, heard_ms: 520 };
    expect(latencies().at(-1)).toEqual(['agent', latency]);
  });

  it('belongs to the first item after an input only, never to a greeting or an acknowledged answer', async () => {
    const { line, provider, speech, latencies } = puppetCall();
    await line.run(40);
    provider.last.respond('Hello.', 200);
    await line.run(400);
    const answer = provider.last.begin('A long answer.', 400);
    await line.run(200);
    speech('u1', 400, 500);
    provider.last.emit({ type: 'turn_decision', itemId: 'u1', decision: decision('acknowledgement') });
    provider.last.more(answer, 400);
    provider.last.emit({ type: 'audio', responseId: answer, itemId: 'second item', audio: Buffer.alloc(1_600, 0x10) });
    provider.last.emit({ type: 'response_done', responseId: answer, status: 'completed' });
    await line.run(2_000);
    expect(latencies().filter(([role]) => role === 'agent')).toEqual([
      ['agent', undefined],
      ['agent', undefined],
      ['agent', undefined],
    ]);
  });

  it('counts from the end of keys that the user pressed', async () => {
    const { line, provider, latencies } = puppetCall();
    await line.run(1_000);
    line.press('5');
    line.press('#');
    await line.run(300);
    provider.last.respond('Five.', 200);
    await line.run(400);
    const latency = { input_ended_ms: 1_000, endpoint_ms: 0, first_audio_ms: 300, heard_ms: 320 };
    expect(latencies().at(-1)).toEqual(['agent', latency]);
  });

  describe('of keys while the agent speaks', () => {
    /** The agent has begun to speak this long ago, for two seconds. */
    async function speaking(forMs: number) {
      const call = puppetCall();
      await call.line.run(1_000);
      call.provider.last.respond('Press one for sales, two for support.', 2_000);
      await call.line.run(forMs);
      return call;
    }

    it.each([
      ['interrupts it: from the end of the keys', 1_200, ['5', '#'], { input_ended_ms: 2_200, heard_ms: 320 }],
      ['is complete without "#" two seconds later', 1_200, ['5'], { input_ended_ms: 4_200, heard_ms: 320 }],
      [
        'is too early to interrupt: from the end of the speech',
        400,
        ['5', '#'],
        { input_ended_ms: 3_000, heard_ms: 20 },
      ],
      ['is complete after the speech: from the end of the keys', 900, ['5'], { input_ended_ms: 3_900, heard_ms: 320 }],
    ])('a key that %s', async (_, forMs, keys, expected) => {
      const call = await speaking(forMs);
      const { line, provider } = call;
      const asked = provider.last.asked.length;
      keys.forEach((key) => line.press(key));
      await line.until(() => provider.last.asked.length > asked, 3_000);
      await line.run(300);
      provider.last.respond('Five.', 200);
      await line.run(2_500);
      const { role, latency } = call.of('turn').at(-1)!;
      expect([role, latency]).toEqual(['agent', expect.objectContaining({ ...expected, endpoint_ms: 0 })]);
      expect(latency!.first_audio_ms).toBeLessThanOrEqual(latency!.heard_ms);
    });

    it('an earlier response that is generated after the keys delays their answer as well', async () => {
      const { line, provider, speech, latencies } = puppetCall();
      await line.run(1_000);
      speech('u1', 200, 700);
      const earlier = 'earlier';
      provider.last.emit({ type: 'response_started', responseId: earlier });
      await line.run(100);
      line.press('5');
      line.press('#');
      provider.last.more(earlier, 3_000);
      provider.last.emit({ type: 'response_done', responseId: earlier, status: 'completed' });
      await line.run(500);
      provider.last.respond('Five.', 200);
      await line.run(4_000);
      expect(latencies().filter(([role]) => role === 'agent')).toEqual([
        ['agent', undefined],
        ['agent', expect.objectContaining({ input_ended_ms: 4_100, heard_ms: 20 })],
      ]);
    });

    it('words that ask for patience do not end the wait for an answer', async () => {
      const { line, provider, session, latencies } = await speaking(400);
      line.press('5');
      line.press('#');
      await line.until(() => provider.last.asked.length > 1, 100);
      await line.run(6_000);
      provider.last.respond('Five.', 200);
      await line.run(3_000);
      const turns = latencies().filter(([role]) => role === 'agent');
      expect(turns.length).toBeGreaterThan(2);
      expect(turns.at(-1)).toEqual(['agent', expect.objectContaining({ input_ended_ms: 3_000 })]);
      session.stop('user_hangup');
    });
  });

  describe('is not counted for a key without an answer', () => {
    it('when the model says nothing and the next words ask whether the caller is there', async () => {
      const { line, provider, latencies } = puppetCall([], { idle: { afterMs: 4_000, prompts: 2 } });
      await line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 200);
      provider.last.respond('Hello.', 200);
      await line.run(1_000);
      line.press('5');
      line.press('#');
      provider.last.emit({ type: 'response_started', responseId: 'empty' });
      provider.last.emit({ type: 'response_done', responseId: 'empty', status: 'completed' });
      await line.until(() => provider.last.asked.length === 3, 6_000);
      provider.last.respond('Are you still there?', 200);
      await line.run(1_000);
      expect(latencies()).toEqual([
        ['agent', undefined],
        ['agent', undefined],
      ]);
    });

    it('when an operator muted the agent and speaks', async () => {
      const { line, provider, session, of } = puppetCall();
      await line.run(1_000);
      await session.command({ type: 'mute_agent' });
      line.press('5');
      line.press('#');
      await line.run(3_000);
      await session.command({ type: 'unmute_agent' });
      void session.command({ type: 'say', commandId: 'c1', text: 'One second.', when: 'now' });
      await line.until(() => provider.last.asked.length > 0, 500);
      provider.last.respond('One second.', 200);
      await line.run(1_000);
      provider.last.respond('Hello again.', 200);
      await line.run(1_000);
      expect(of('turn').map(({ latency }) => latency)).toEqual([undefined, undefined]);
    });
  });

  it('counts the tools of the answer apart, and not the tools of an earlier input', async () => {
    const running: (() => void)[] = [];
    const { line, provider, speech, latencies } = puppetCall([
      {
        name: 'look_up',
        description: 'Looks up an order.',
        parameters: { type: 'object' },
        run: () => new Promise((resolve) => running.push(() => resolve({}))),
      },
    ]);
    const looksUp = (responseId: string) => {
      provider.last.emit({ type: 'response_started', responseId });
      const call = { responseId, toolCallId: `t-${responseId}`, name: 'look_up', arguments: '{}' };
      provider.last.emit({ type: 'tool_call', ...call });
      provider.last.emit({ type: 'response_done', responseId, status: 'completed' });
    };
    await line.run(1_000);
    speech('u1', 200, 700);
    looksUp('r1');
    await line.run(100);
    looksUp('r2');
    await line.run(300);
    running.shift()?.();
    await line.run(200);
    running.shift()?.();
    await line.run(100);
    provider.last.respond('Here you are.', 200);
    await line.run(400);
    expect(latencies().at(-1)).toEqual([
      'agent',
      { input_ended_ms: 700, endpoint_ms: 300, tools_ms: 600, first_audio_ms: 1_000, heard_ms: 1_020 },
    ]);
    looksUp('r3');
    await line.run(100);
    speech('u2', 2_000, 2_050);
    provider.last.respond('Yes?', 200);
    await line.run(400);
    expect(latencies().at(-1)).toEqual(['agent', expect.not.objectContaining({ tools_ms: expect.anything() })]);
  });
});
