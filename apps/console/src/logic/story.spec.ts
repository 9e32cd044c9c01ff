import { describe, expect, it } from '@jest/globals';
import type { Entry } from './conversation.js';
import { storyOf, ticksOf } from './story.js';

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 2) + seconds * 1_000).toISOString();
const call = (times: { answered_at?: string; ended_at?: string }) => ({
  created_at: at(0),
  started_at: at(0),
  answered_at: null,
  ended_at: null,
  ...times,
});
const spoken: Entry = {
  kind: 'turn',
  key: 't',
  atMs: 1_000,
  endMs: 3_000,
  role: 'agent',
  text: 'Hello.',
  cutBy: undefined,
};

describe('the picture of a call', () => {
  it('counts what was said from the answer, and everything from the first INVITE', () => {
    const story = storyOf(call({ answered_at: at(4), ended_at: at(20) }), [spoken], undefined, 0);
    expect(story).toMatchObject({ lengthMs: 20_000, answerMs: 4_000 });
    expect(story.segments).toMatchObject([
      { kind: 'ring', fromMs: 0, toMs: 4_000 },
      { kind: 'answered', fromMs: 4_000, toMs: 20_000 },
      { lane: 'agent', fromMs: 5_000, toMs: 7_000 },
    ]);
  });

  it('rings to the end when the phone is not answered', () => {
    const story = storyOf(call({ ended_at: at(9) }), [], undefined, 0);
    expect(story.answerMs).toBeUndefined();
    expect(story.segments).toMatchObject([{ kind: 'ring', toMs: 9_000 }]);
  });

  it('grows while it lasts', () =>
    expect(storyOf(call({ answered_at: at(1) }), [], undefined, Date.parse(at(7))).lengthMs).toBe(7_000));

  it.each([
    [9_000, [0, 2_000, 4_000, 6_000, 8_000]],
    [59_000, [0, 10_000, 20_000, 30_000, 40_000, 50_000]],
  ])('%s ms have few enough ticks', (lengthMs, ticks) => expect(ticksOf(lengthMs, 8)).toEqual(ticks));
});
