import { describe, expect, it } from '@jest/globals';
import type { SessionEvent, SessionFact } from '@app/voice';
import { RECORDING_PAUSED, TranscriptPauses } from './transcript-pauses.js';

const turn = (started_ms: number, ended_ms: number): SessionEvent => ({
  at_ms: ended_ms + 400,
  ...{ type: 'turn', turn: 1, role: 'callee', text: 'four one one one', started_ms, ended_ms, truncated: false },
});
const fact = (at_ms: number, event: SessionFact): SessionEvent => ({ at_ms, ...event });
const tool = (started_ms: number, ended_ms: number): SessionEvent =>
  fact(ended_ms, {
    type: 'tool_call',
    tool_call_id: 't',
    name: 'pay',
    arguments: { card: '4111' },
    result: { card: '4111' },
    ok: true,
    started_ms,
    ended_ms,
  });

describe('a transcript while the recording is paused from 1,000 to 2,000 ms', () => {
  it.each<[string, SessionEvent, boolean]>([
    ['keeps words before it', turn(100, 900), false],
    ['hides words that end in it, although their transcription comes after it', turn(900, 1_900), true],
    ['hides words that begin in it', turn(1_500, 2_500), true],
    ['hides words that span it', turn(500, 2_500), true],
    ['keeps words after it', turn(2_100, 2_500), false],
    ['hides a key', fact(1_500, { type: 'dtmf_received', digit: '4', duration_ms: 100 }), true],
    [
      'hides a key that was released after it',
      fact(2_050, { type: 'dtmf_received', digit: '4', duration_ms: 100 }),
      true,
    ],
    ['hides keys that the agent sends', fact(1_500, { type: 'dtmf_sent', digits: '4111' }), true],
    ['hides arguments and result of a tool', tool(1_900, 2_200), true],
    ['keeps those of a later tool', tool(2_100, 2_200), false],
    ['keeps other events', fact(1_500, { type: 'speech_stopped', duration_ms: 400 }), false],
  ])('%s', (_, event, isHidden) => {
    const pauses = new TranscriptPauses();
    expect([pauses.pause(1_000), pauses.pause(1_200), pauses.resume(2_000), pauses.resume(2_100)]).toEqual([
      ...[true, false, true, false],
    ]);
    const stored = JSON.stringify(pauses.withoutHidden(event));
    expect(/four|4/.test(stored.replaceAll(/_ms":\d+/g, ''))).toBe(
      !isHidden && /four|4/.test(JSON.stringify(event).replaceAll(/_ms":\d+/g, '')),
    );
    expect(stored.includes(RECORDING_PAUSED)).toBe(isHidden);
  });

  it('hides an input whose keys were pressed in it and which ends after it, and no later one', () => {
    const pauses = new TranscriptPauses();
    pauses.pause(1_000);
    pauses.withoutHidden(fact(1_500, { type: 'dtmf_received', digit: '4', duration_ms: 100 }));
    pauses.resume(2_000);
    const input = (at: number) => pauses.withoutHidden(fact(at, { type: 'dtmf_input', digits: '41' }));
    expect([input(3_500), input(9_000)]).toMatchObject([{ digits: RECORDING_PAUSED }, { digits: '41' }]);
  });

  it('hides everything after a pause that does not end', () => {
    const pauses = new TranscriptPauses();
    pauses.pause(1_000);
    expect(pauses.withoutHidden(turn(60_000, 61_000))).toMatchObject({ text: RECORDING_PAUSED });
  });
});
