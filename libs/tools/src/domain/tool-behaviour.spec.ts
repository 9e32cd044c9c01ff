import { describe, expect, it } from '@jest/globals';
import {
  assignProblems,
  behaviourProblems,
  DEFAULT_BEHAVIOUR,
  phrasesProblems,
  waitingProblems,
} from './tool-behaviour.js';

const pathsOf = (problems: object): string[] => Object.keys(problems);

describe('the behaviour of a tool', () => {
  it.each<[unknown, boolean, string[]]>([
    ['One moment.', false, []],
    [['One moment.', 'Let me look.'], false, []],
    [null, false, []],
    ['', true, []],
    ['', false, ['f']],
    ['  ', true, ['f']],
    [[], true, ['f']],
    [['a', ''], true, ['f.1']],
    [['a', 1], true, ['f.1']],
    [7, true, ['f']],
    ['x'.repeat(501), true, ['f']],
    [Array(11).fill('x'), true, ['f']],
  ])('has words %j (may be empty: %j): problems at %j', (value, mayBeEmpty, paths) => {
    expect(pathsOf(phrasesProblems(value, 'f', mayBeEmpty))).toEqual(paths);
  });

  it.each<[unknown, string[]]>([
    [{ after_seconds: 4, text: 'Still looking.' }, []],
    [{ after_seconds: 4, every_seconds: 5, text: ['a', 'b'] }, []],
    [{ after_seconds: 0, text: 'a' }, ['f.after_seconds']],
    [{ after_seconds: 1.5, text: 'a' }, ['f.after_seconds']],
    [{ text: 'a' }, ['f.after_seconds']],
    [{ after_seconds: 4, every_seconds: 4, text: 'a' }, ['f.every_seconds']],
    [{ after_seconds: 4 }, ['f.text']],
    [{ after_seconds: 4, text: '' }, ['f.text']],
    [{ after_seconds: 4, text: 'a', often: true }, ['f.often']],
    ['a', ['f']],
  ])('says while waiting %j: problems at %j', (value, paths) => {
    expect(pathsOf(waitingProblems(value, 'f'))).toEqual(paths);
  });

  it.each<[unknown, string[]]>([
    [{ booking_id: '/id', all: '', deep: '/a~1b/0' }, []],
    [{ booking_id: 'id' }, ['f.booking_id']],
    [{ booking_id: '/a~2' }, ['f.booking_id']],
    [{ 'Booking id': '/id' }, ['f.Booking id']],
    [{ booking_id: 7 }, ['f.booking_id']],
    [{ booking_id: `/${'x'.repeat(256)}` }, ['f.booking_id']],
    [Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`v${n}`, '/id'])), ['f']],
    [['/id'], ['f']],
  ])('assigns %j: problems at %j', (value, paths) => {
    expect(pathsOf(assignProblems(value, 'f'))).toEqual(paths);
  });

  it('needs something to assign when it is private, and an argument of its own to confirm', () => {
    const parameters = { type: 'object', properties: { confirmed: { type: 'boolean' } } };
    expect(pathsOf(behaviourProblems({ ...DEFAULT_BEHAVIOUR, private: true }, {}))).toEqual(['private']);
    expect(behaviourProblems({ ...DEFAULT_BEHAVIOUR, private: true, assign: { a: '/a' } }, {})).toEqual({});
    expect(pathsOf(behaviourProblems({ ...DEFAULT_BEHAVIOUR, confirm: true }, parameters))).toEqual(['confirm']);
    expect(behaviourProblems({ ...DEFAULT_BEHAVIOUR, confirm: true }, {})).toEqual({});
  });
});
