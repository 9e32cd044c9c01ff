import { describe, expect, it } from '@jest/globals';
import { speakerOf, type SpokenTurn, withWords } from './spoken.js';

const turn = (number: number, text: string, final = false, role: SpokenTurn['role'] = 'agent'): SpokenTurn => ({
  turn: number,
  role,
  text,
  final,
});

describe('the words of a call', () => {
  it('grow while they are spoken, and stay when they are final', () => {
    const spoken = [turn(1, 'Hello'), turn(1, 'Hello, this'), turn(1, 'Hello, this is ACME.', true), turn(1, 'Hello,')];
    expect(spoken.reduce<readonly SpokenTurn[]>(withWords, [])).toEqual([turn(1, 'Hello, this is ACME.', true)]);
  });

  it('of both sides are turns of their own, in the order in which they began', () => {
    const spoken = [turn(1, 'Hello.', true), turn(2, 'I', false, 'user'), turn(3, 'Yes'), turn(2, 'I …', true, 'user')];
    expect(spoken.reduce<readonly SpokenTurn[]>(withWords, [])).toEqual([
      turn(1, 'Hello.', true),
      turn(2, 'I …', true, 'user'),
      turn(3, 'Yes'),
    ]);
  });

  it('are not shown before there are any', () => expect(withWords([], turn(1, ''))).toEqual([]));

  it.each([
    ['agent', 'agent'],
    ['supervisor', 'supervisor'],
    ['caller', 'user'],
    ['callee', 'user'],
  ])('of a %s are those of the %s', (role, speaker) => expect(speakerOf(role)).toBe(speaker));
});
