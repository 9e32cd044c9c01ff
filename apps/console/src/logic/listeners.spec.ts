import { describe, expect, it } from '@jest/globals';
import type { CallEvent } from '../api/types.js';
import { listenersOf, listSentence } from './listeners.js';

const event = (seq: number, type: string, name: string): CallEvent => ({ seq, at: '', type, data: { name } });

describe('those who listen to a call', () => {
  it('are those who have joined and not left', () => {
    const events = [
      event(1, 'listener_joined', 'Ada'),
      event(2, 'listener_joined', 'Ben'),
      event(3, 'listener_joined', 'Ada'),
      event(4, 'took_over', 'Ben'),
      event(5, 'listener_left', 'Ada'),
      event(6, 'listener_left', 'Ben'),
      event(7, 'listener_left', 'Cleo'),
    ];
    expect(listenersOf(events)).toEqual(['Ada']);
  });

  it.each([
    [[], ''],
    [['Ada'], 'Ada'],
    [['Ada', 'Ben', 'Ada'], 'Ada and Ben'],
    [['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'], 'Ada, Ben, Cleo and 2 more'],
  ])('%j are named %j', (names, sentence) => expect(listSentence(names)).toBe(sentence));
});
