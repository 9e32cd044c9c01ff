import { describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '../session-events.js';
import { summaryOf, heardPart, speechOf, transcriptOf } from './transcript.js';

describe('heardPart', () => {
  it.each([
    ['one two three four', 1000, 1000, 'one two three four'],
    ['one two three four', 0, 1000, ''],
    ['one two three four', 500, 1000, 'one two three'],
    ['one two three four', 200, 1000, 'one'],
    ['你好，世界。', 500, 1000, '你好，'],
    ['one two', 10, 0, 'one two'],
  ])('the heard part of %j after %d of %d ms is %j', (text, played, generated, heard) =>
    expect(heardPart(text, played, generated)).toBe(heard),
  );
});

const turn = (role: 'agent' | 'callee', text: string, started_ms: number, ended_ms: number): SessionEvent => ({
  at_ms: ended_ms,
  type: 'turn',
  turn: 1,
  role,
  text,
  started_ms,
  ended_ms,
  truncated: false,
});

describe('transcriptOf', () => {
  it('turns are ordered by their beginning', () => {
    const events = [turn('callee', speechOf(400), 500, 900), turn('agent', 'Hello.', 0, 1000)];
    expect(transcriptOf(events).map(({ text }) => text)).toEqual(['Hello.', '[speech 0.4 s]']);
  });
});

describe('summaryOf', () => {
  it('a summary has speaking times, keys, tools, the first and last sentence, and the end of the call', () => {
    const events: SessionEvent[] = [
      turn('agent', 'Hello there. I am Ada.', 0, 2000),
      turn('callee', speechOf(1500), 2500, 4000),
      { at_ms: 5000, type: 'dtmf_input', digits: '42' },
      turn('agent', 'You pressed 4, 2. Goodbye.', 5000, 8500),
      { at_ms: 9000, type: 'ended', ended_by: 'agent', cause: 'agent_hangup' },
    ];
    expect(summaryOf(events)).toBe(
      'The agent spoke 5.5 s in 2 turns, the callee 1.5 s in 1 turn. Keys pressed: 42. ' +
        'It began: "Hello there." It closed: "Goodbye." The agent ended the call.',
    );
  });

  it('the summary of a call without speech says that nobody spoke', () => {
    const ended: SessionEvent = { at_ms: 10, type: 'ended', ended_by: 'callee', cause: 'normal_clearing' };
    expect(summaryOf([ended])).toBe('The agent spoke not at all, the callee not at all. The callee hung up.');
  });
});
