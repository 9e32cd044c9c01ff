import { describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '@app/voice';
import { metricsText } from '@app/metrics';
import type { CallRow } from '@app/calls';
import { answerDelays, countConversation, countEnd } from './call-metrics.js';

const stopped = (at_ms: number): SessionEvent => ({ type: 'speech_stopped', at_ms, duration_ms: 800 });
const started = (at_ms: number): SessionEvent => ({ type: 'speech_started', at_ms });
const agent = (started_ms: number): SessionEvent => ({
  type: 'turn_started',
  turn: 1,
  role: 'agent',
  at_ms: started_ms,
  started_ms,
});
const callee = (started_ms: number): SessionEvent => ({ ...agent(started_ms), role: 'callee' }) as SessionEvent;

describe('the measured time until the agent answers', () => {
  it.each<[string, SessionEvent[], number[]]>([
    ['a greeting does not count as an answer', [agent(100)], []],
    ['one answer', [agent(100), started(900), callee(900), stopped(2_000), agent(2_700)], [700]],
    [
      'the time starts at the end of continued speech',
      [stopped(1_000), started(1_400), stopped(2_000), agent(2_300)],
      [300],
    ],
    [
      'the second sentence of an answer does not count as a second answer',
      [stopped(1_000), agent(1_500), agent(2_500)],
      [500],
    ],
    ['speech that the agent began before does not count as an answer', [stopped(1_000), agent(900), agent(1_600)], []],
    ['speech without a reply has no time', [stopped(1_000)], []],
  ])('%s', (_, events, delays) => expect(answerDelays(events)).toEqual(delays));
});

it('each stage of an answer is observed once', async () => {
  const times = { started_ms: 2_700, ended_ms: 3_000 };
  const latency = { input_ended_ms: 2_000, endpoint_ms: 300, first_audio_ms: 650, heard_ms: 700 };
  const turn: SessionEvent = {
    type: 'turn',
    at_ms: 3_000,
    turn: 2,
    role: 'agent',
    text: '',
    truncated: false,
    ...times,
  };
  countConversation('sandbox', [turn, { ...turn, latency }]);
  const { text } = await metricsText();
  const counts = [...text.matchAll(/turn_latency_seconds_sum\{provider="sandbox",stage="(\w+)"\} ([\d.]+)/g)];
  expect(counts.map(([, stage, sum]) => [stage, Number(sum)])).toEqual([
    ['endpoint', 0.3],
    ['first_audio', 0.65],
    ['heard', 0.7],
  ]);
});

it.each([
  ['completed', 'drained', 'cut_off'],
  ['failed', 'drained', 'failed'],
  ['completed', 'normal_clearing', 'completed'],
] as const)('a call that ended %s by %s is counted as %s', async (status, cause, counted) => {
  const at = new Date();
  const row: Partial<CallRow> = { direction: 'inbound', status, hangup_cause: cause, created_at: at, transfers: [] };
  countEnd(row as CallRow);
  const { text } = await metricsText();
  expect(text).toContain(`calls_ended_total{direction="inbound",status="${counted}",cause="${cause}"} 1`);
});
