import { describe, expect, it } from '@jest/globals';
import { HANGUP_CAUSE_MEANINGS, HANGUP_CAUSES, type HangupCause, outcomeOf, outcomeOfHangup } from './hangup-cause.js';

function reject(status: number, q850?: number): string {
  const outcome = outcomeOf({ kind: 'rejected', status, reason: '', ...(q850 === undefined ? {} : { q850 }) });
  return `${outcome.status}/${outcome.cause}`;
}

describe('outcomeOf', () => {
  it.each([
    [302, 'failed/redirected'],
    [400, 'failed/request_refused'],
    [401, 'failed/auth_failed'],
    [403, 'failed/rejected_by_carrier'],
    [404, 'failed/unallocated_number'],
    [407, 'failed/auth_failed'],
    [408, 'no_answer/no_answer'],
    [410, 'failed/number_changed'],
    [415, 'failed/incompatible_media'],
    [480, 'no_answer/no_answer'],
    [483, 'failed/request_refused'],
    [484, 'failed/invalid_number_format'],
    [485, 'failed/unallocated_number'],
    [486, 'busy/user_busy'],
    [487, 'no_answer/no_answer'],
    [488, 'failed/incompatible_media'],
    [500, 'failed/service_unavailable'],
    [503, 'failed/service_unavailable'],
    [600, 'busy/user_busy'],
    [603, 'busy/call_rejected'],
    [604, 'failed/unallocated_number'],
    [606, 'failed/incompatible_media'],
    [607, 'busy/call_rejected'],
    [608, 'busy/call_rejected'],
    [699, 'failed/rejected_by_carrier'],
  ])('%i -> %s', (status, expected) => {
    expect(reject(status)).toBe(expected);
  });

  it.each([
    [503, 1, 'failed/unallocated_number'],
    [503, 17, 'failed/user_busy'],
    [500, 28, 'failed/invalid_number_format'],
    [480, 21, 'no_answer/call_rejected'],
    [486, 16, 'busy/user_busy'],
    [404, 31, 'failed/unallocated_number'],
    [404, 99, 'failed/unallocated_number'],
  ])('%i with Q.850 cause %i -> %s', (status, q850, expected) => {
    expect(reject(status, q850)).toBe(expected);
  });

  it.each([
    [{ kind: 'silent' }, 'failed/no_response/system'],
    [{ kind: 'unreachable' }, 'failed/network_error/system'],
    [{ kind: 'blocked' }, 'failed/blocked_destination/system'],
    [{ kind: 'no-answer' }, 'no_answer/no_answer/system'],
    [{ kind: 'cancelled' }, 'cancelled/cancelled/caller'],
    [{ kind: 'no-media' }, 'failed/incompatible_media/system'],
    [{ kind: 'foreign-media' }, 'failed/incompatible_address/system'],
    [{ kind: 'bye', by: 'remote', q850: 16 }, 'completed/normal_clearing/callee'],
    [{ kind: 'bye', by: 'local' }, 'completed/normal_clearing/system'],
  ] as const)('%j -> %s', (result, expected) => {
    const { status, cause, endedBy } = outcomeOf(result);
    expect(`${status}/${cause}/${endedBy}`).toBe(expected);
  });
});

describe('outcomeOfHangup', () => {
  it.each([
    ['agent_hangup', true, 'completed/agent_hangup/agent'],
    ['max_duration', true, 'completed/max_duration/system'],
    ['drained', true, 'completed/drained/system'],
    ['cancelled', true, 'completed/normal_clearing/caller'],
    ['cancelled', false, 'cancelled/cancelled/caller'],
    ['no_answer', false, 'no_answer/no_answer/system'],
    ['drained', false, 'failed/drained/system'],
    ['agent_provider_error', false, 'failed/agent_provider_error/system'],
  ] as [HangupCause, boolean, string][])('%s, answered %s -> %s', (asked, answered, expected) => {
    const { status, cause, endedBy } = outcomeOfHangup(asked, answered);
    expect(`${status}/${cause}/${endedBy}`).toBe(expected);
  });
});

it('every hangup cause is documented by one sentence', () => {
  for (const cause of HANGUP_CAUSES) expect(HANGUP_CAUSE_MEANINGS[cause]).toMatch(/^[A-Z][^.]+\.$/);
});
