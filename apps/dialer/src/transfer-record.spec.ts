import { describe, expect, it } from '@jest/globals';
import type { LegEnd } from '@app/telephony';
import { connectedMs, ended, newTransfer, statusOf } from './transfer-record.js';

const NOW = '2026-01-02T03:04:00.000+00:00';
const dialled = newTransfer('+15550002222', '+15550001111', 'bridge', NOW);
const answered = { ...dialled, answered_at: '2026-01-02T03:04:05.000+00:00' };
const end = (more: Partial<LegEnd>) => ({ endedBy: 'callee', ...more }) as LegEnd;

describe('the record of a transfer', () => {
  it.each([
    [end({ status: 'busy', cause: 'user_busy', sipCode: 486 }), dialled, 'busy', 486],
    [end({ status: 'no_answer', cause: 'no_answer' }), dialled, 'no_answer', null],
    [end({ status: 'cancelled', cause: 'cancelled' }), dialled, 'cancelled', null],
    [end({ status: 'completed', cause: 'normal_clearing' }), answered, 'completed', null],
    [end({ status: 'completed', cause: 'normal_clearing' }), dialled, 'cancelled', null],
  ])('the end %j is recorded as it happened', (legEnd, before, status, sip_code) => {
    expect(ended(before, legEnd, NOW)).toMatchObject({ ended_at: NOW, status, hangup_cause: legEnd.cause, sip_code });
  });

  it.each([
    [486, 'busy'],
    [603, 'busy'],
    [480, 'no_answer'],
    [503, 'failed'],
    [undefined, 'failed'],
  ])('a transfer by REFER that ended with %s is %s', (status, told) => expect(statusOf(status)).toBe(told));

  it('is billed from the answer to the end', () => {
    expect(connectedMs(dialled)).toBe(0);
    expect(connectedMs({ ...answered, ended_at: '2026-01-02T03:04:07.500+00:00' })).toBe(2_500);
  });
});
