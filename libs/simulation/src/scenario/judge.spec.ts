import { describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '@app/voice';
import { readScenario } from '@app/agents/scenarios';
import { judgeByRules } from './judge.js';

const EVENTS = [
  { type: 'step_entered', at_ms: 0, step: 'identify', from: null, by: 'start' },
  { type: 'values_collected', at_ms: 900, step: 'identify', turn: 1, values: { reason: 'cancel', name: 'Ada' } },
  {
    type: 'values_collected',
    at_ms: 1_900,
    step: 'identify',
    turn: 2,
    values: { reason: 'book', times: [{ day: 1 }] },
  },
  { type: 'step_entered', at_ms: 2_000, step: 'book', from: 'identify', by: 'if', exit: 0 },
] as unknown as SessionEvent[];

const failuresOf = (judge: object, events = EVENTS): string[] => {
  const { judge: read } = readScenario({ steps: [{ says: 'Hello' }], judge });
  return judgeByRules(read!, { events, end: undefined, durationMs: 2_000 }).flatMap(({ failures }) => failures);
};

describe('the judge of a flow', () => {
  it.each<[string, object, string[]]>([
    ['the whole path', { path: ['identify', 'book'] }, []],
    ['a part of the path', { path: ['identify'] }, ['The path was identify, book, not identify.']],
    ['no path', { path: [] }, ['The path was identify, book, not empty.']],
    ['the latest values', { values: { reason: 'book', name: 'Ada' } }, []],
    ['an earlier value', { values: { reason: 'cancel' } }, ['The value reason is "book", not "cancel".']],
    ['a value of another type', { values: { name: 5 } }, ['The value name is "Ada", not "5".']],
    ['a value that is not there', { values: { phone: '1' } }, ['The value phone is "null", not "1".']],
    ['the absence of a value', { values: { phone: null } }, []],
    ['the absence of one that is there', { values: { name: null } }, ['The value name is "Ada", not "null".']],
    ['a list of objects', { values: { times: [{ day: 1 }] } }, []],
  ])('compares %s', (_, judge, failures) => {
    expect(failuresOf(judge)).toEqual(failures);
  });

  it('finds no path in a conversation without a flow', () => {
    expect(failuresOf({ path: [] }, [])).toEqual([]);
  });
});
