import { describe, expect, it } from '@jest/globals';
import type { RtpStats } from '@app/telephony';
import type { SessionEvent } from '@app/voice';
import { callMeasures } from './call-measures.js';

const STATS: RtpStats = {
  ...{ sent: 500, received: 500, lost: 5, reordered: 0, duplicates: 0, jitterMs: 1.23456, lateFrames: 0 },
  ...{ lossRate: 0.0099, mos: 3.8, codec: 'PCMA', srtp: false },
};
const turn = (number: number, role: 'agent' | 'callee', from: number, to: number, text = 'Words.'): SessionEvent => {
  return { type: 'turn', at_ms: to, turn: number, role, text, started_ms: from, ended_ms: to, truncated: false };
};
const stopped = (at_ms: number, by: 'speech' | 'dtmf' | 'provider' | 'command' = 'speech'): SessionEvent => {
  return { type: 'interrupted', at_ms, by, played_ms: 500 };
};
const decided = (
  at_ms: number,
  outcome: 'acknowledgement' | 'noise' | 'interruption',
  number?: number,
): SessionEvent => {
  return { type: 'turn_decision', at_ms, turn: number, outcome, reason: 'words', waited_ms: 0 };
};
const tool = (name: string, ok: boolean, result: unknown = {}): SessionEvent => {
  return {
    type: 'tool_call',
    at_ms: 1,
    tool_call_id: name,
    name,
    arguments: {},
    result,
    ok,
    started_ms: 0,
    ended_ms: 1,
  };
};
const conversationOf = (events: SessionEvent[], durationMs = 10_000, joinedMs = 0) =>
  callMeasures(STATS, { events, durationMs, joinedMs }).conversation!;

describe('the quality of a call', () => {
  it('has the received audio only, without reports of the remote party', () => {
    expect(callMeasures(STATS).quality).toEqual({
      codec: 'PCMA',
      received: { mos: 3.8, loss_rate: 0.0099, jitter_ms: 1.2346 },
      sent: null,
      round_trip_ms: null,
    });
  });

  it('has both directions and the round trip by the reports of the remote party', () => {
    const stats = { ...STATS, remoteLost: 50, remoteJitterMs: 3, remoteMos: 2.1, rttMs: 30 };
    const { quality } = callMeasures(stats);
    expect(quality).toMatchObject({ sent: { mos: 2.1, loss_rate: 0.1, jitter_ms: 3 }, round_trip_ms: 30 });
  });

  it('is unknown without audio', () => {
    expect(callMeasures({ ...STATS, received: 0 })).toEqual({ quality: null, conversation: null });
  });
});

describe('the interruptions of a call', () => {
  const agent = turn(1, 'agent', 0, 2_000);
  const next = turn(3, 'agent', 5_000, 6_000);

  it.each<[string, SessionEvent[], [number, number, number]]>([
    ['words stop the agent', [stopped(2_000), agent, turn(2, 'callee', 1_700, 3_000), next], [1, 0, 0]],
    ['a key stops the agent', [stopped(2_000, 'dtmf'), agent], [1, 0, 0]],
    ['a command is no interruption by the user', [stopped(2_000, 'command'), agent], [0, 0, 0]],
    ['a sound without a turn is false', [stopped(2_000), agent, next], [1, 1, 0]],
    [
      'a turn that was noise is false',
      [stopped(2_000), agent, turn(2, 'callee', 1_700, 2_100), decided(2_900, 'noise', 2), next],
      [1, 1, 0],
    ],
    [
      'words after the next answer do not count',
      [stopped(2_000, 'provider'), agent, next, turn(4, 'callee', 7_000, 8_000)],
      [1, 1, 0],
    ],
    [
      'an acknowledgement is ignored while the agent speaks',
      [
        decided(1_000, 'acknowledgement', 2),
        agent,
        decided(3_000, 'noise', 4),
        decided(5_500, 'interruption', 5),
        next,
      ],
      [0, 0, 1],
    ],
  ])('%s', (_, events, [by_user, without, ignored]) => {
    expect(conversationOf(events).interruptions).toEqual({ by_user, false: without, ignored });
  });
});

describe('the conversation of a call', () => {
  it('has turns, speech of each party, and the silence between them', () => {
    const events = [turn(1, 'agent', 500, 2_500), turn(2, 'callee', 2_000, 4_000), turn(3, 'agent', 5_000, 6_000)];
    expect(conversationOf(events)).toMatchObject({
      turns: { agent: 2, user: 1 },
      talk: { agent_ms: 3_000, user_ms: 2_000, silence_ms: 10_000 - 4_500 },
      answers: [],
    });
  });

  it('begins when the agent joins: the wait in a queue is not silence of it', () => {
    const { talk } = conversationOf([turn(1, 'agent', 60_000, 62_000)], 65_000, 60_000);
    expect(talk).toEqual({ agent_ms: 2_000, user_ms: 0, silence_ms: 3_000 });
  });

  it('ends when the agent leaves, although the transferred call goes on', () => {
    const left: SessionEvent = { type: 'ended', at_ms: 4_000, ended_by: 'agent', cause: 'transferred' };
    const { talk } = conversationOf([turn(1, 'agent', 0, 1_000), left], 600_000);
    expect(talk).toEqual({ agent_ms: 1_000, user_ms: 0, silence_ms: 3_000 });
  });

  it('counts tools, failures, and searches that found something', () => {
    const search = (results: unknown) => tool('search_knowledge_base', true, { results });
    const events = [tool('book', true), tool('cancel', false, null), search([{ text: 'Tea' }]), search([])];
    expect(conversationOf(events)).toMatchObject({
      tools: { calls: 4, failed: 1 },
      knowledge: { searches: 2, found: 1 },
    });
  });

  it('keeps the first thousand answers', () => {
    const latency = { input_ended_ms: 0, endpoint_ms: 1, first_audio_ms: 2, heard_ms: 3 };
    const events = Array.from({ length: 1_200 }, (_, n) => ({ ...turn(n, 'agent', n, n), latency }) as SessionEvent);
    const { answers, turns } = conversationOf(events);
    expect(answers).toHaveLength(1_000);
    expect(turns.agent).toBe(1_200);
  });
});
