import type { LegEnd } from '@app/telephony';
import { describe, expect, it } from '@jest/globals';
import { chargedCalls } from './call-ending.service.js';
import type { TransferRecord } from '@app/calls';
import { statusOf, TransferLog } from '../transfer/transfer-record.js';

const NOW = '2026-01-02T03:04:00.000+00:00';

const transfers = new TransferLog(
  { recordTransfers: () => Promise.resolve() },
  { error: () => undefined },
  { id: 'c', owner: 'd' },
  { now: () => new Date(NOW) },
  { note: () => undefined },
);
const attempt = (to: string, method: TransferRecord['method'], more: Partial<TransferRecord> = {}) =>
  transfers.add({ to, from: '+15550001111', method, mode: 'cold', destination: null }, more);

describe('the tool calls of a bill', () => {
  it.each([
    [['order', 'end_call', 'order', 'search_knowledge_base'], 2],
    [['end_call', 'call_transfer', 'send_dtmf'], 0],
  ])('of %j are %d', (names, calls) => expect(chargedCalls(names)).toBe(calls));
});

const joined = { answered_at: '2026-01-02T03:04:05.000+00:00', joined_at: '2026-01-02T03:04:05.000+00:00' };
const end = (more: Partial<LegEnd>) => ({ endedBy: 'callee', ...more }) as LegEnd;

describe('the record of a transfer', () => {
  it.each([
    [end({ status: 'busy', cause: 'user_busy', sipCode: 486 }), {}, 'busy', 486],
    [end({ status: 'no_answer', cause: 'no_answer' }), {}, 'no_answer', null],
    [end({ status: 'cancelled', cause: 'cancelled' }), {}, 'cancelled', null],
    [end({ status: 'completed', cause: 'normal_clearing' }), joined, 'completed', null],
    [end({ status: 'completed', cause: 'normal_clearing' }), {}, 'cancelled', null],
    [end({ status: 'completed', cause: 'agent_hangup' }), { declined_reason: 'key' as const }, 'declined', null],
  ])('contains the end %j', (legEnd, before, status, sip_code) => {
    const record = attempt('+15550002222', 'bridge', before);
    transfers.end(record, legEnd);
    expect(record).toMatchObject({ ended_at: NOW, status, hangup_cause: legEnd.cause, sip_code });
  });

  it.each([
    [486, 'busy'],
    [603, 'busy'],
    [480, 'no_answer'],
    [503, 'failed'],
    [undefined, 'failed'],
  ])('of a transfer by REFER that ended with %s says %s', (status, told) => expect(statusOf(status)).toBe(told));
});
