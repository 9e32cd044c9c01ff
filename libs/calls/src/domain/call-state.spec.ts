import { describe, expect, it } from '@jest/globals';
import type { CallStatus } from './call.js';
import { type CallChange, eventOf, nextState } from './call-state.js';

describe('the status of a call', () => {
  it.each<[CallStatus, CallChange, CallStatus | undefined]>([
    ['pending', 'ringing', 'ringing'],
    ['pending', 'answered', 'in_progress'],
    ['pending', 'cancelled', 'cancelled'],
    ['pending', 'failed', 'failed'],
    ['pending', 'busy', 'busy'],
    ['pending', 'completed', undefined],
    ['ringing', 'ringing', undefined],
    ['ringing', 'answered', 'in_progress'],
    ['ringing', 'no_answer', 'no_answer'],
    ['ringing', 'busy', 'busy'],
    ['in_progress', 'ringing', undefined],
    ['in_progress', 'completed', 'completed'],
    ['in_progress', 'failed', 'failed'],
    ['in_progress', 'busy', undefined],
    ['in_progress', 'cancelled', undefined],
    ['completed', 'failed', undefined],
    ['cancelled', 'ringing', undefined],
    ['failed', 'completed', undefined],
  ])('%s changes by %s to %s', (from, change, to) => expect(nextState(from, change)).toBe(to));

  it('names the webhook event of each status', () => {
    const statuses: CallStatus[] = [
      'pending',
      'ringing',
      'in_progress',
      'completed',
      'failed',
      'no_answer',
      'busy',
      'cancelled',
    ];
    expect(statuses.map(eventOf)).toEqual([
      'initiated',
      'ringing',
      'in-progress',
      'completed',
      'failed',
      'no-answer',
      'busy',
      'cancelled',
    ]);
  });
});
