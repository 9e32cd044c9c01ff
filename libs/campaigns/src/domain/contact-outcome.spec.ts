import { describe, expect, it } from '@jest/globals';
import type { CampaignRetry } from './campaign.js';
import { type EndedCall, settle } from './contact-outcome.js';

const at = new Date('2026-11-23T10:00:00Z');
const dialled: EndedCall = {
  status: 'failed',
  started_at: at,
  answered_at: null,
  answered_by: null,
  ended_at: at,
  hangup_cause: 'service_unavailable',
};
const retry: CampaignRetry = {
  max_attempts: 3,
  delay_minutes: { busy: 15, no_answer: 60, failed: 30 },
  causes: { rejected_by_carrier: null, auth_failed: 5 },
};

/** `waiting waiting_for_retry 10:15, busy` */
function told(attempts: number, call: Partial<EndedCall>, rules: Partial<CampaignRetry> = {}): string {
  const { status, reason, dueAt, outcome, counts, pause } = settle(
    attempts,
    { ...dialled, ...call },
    { ...retry, ...rules },
  );
  const until = dueAt ? ` ${dueAt.toISOString().slice(11, 16)}` : '';
  const rest = [outcome, counts ? undefined : 'not counted', pause && `pause ${pause}`].filter(Boolean);
  return [`${status}${reason ? ` ${reason}` : ''}${until}`, ...rest].join(', ');
}

describe('the contact of an attempt that is over', () => {
  const answered = { status: 'completed', answered_at: at, hangup_cause: 'normal_clearing' } as const;

  it.each<[string, number, Partial<EndedCall>, string]>([
    ['a human answered', 1, { ...answered, answered_by: 'human' }, 'reached, human'],
    ['answered, without detection of machines', 1, answered, 'reached, unknown'],
    [
      'the dialer died after a human had answered',
      1,
      { answered_at: at, hangup_cause: 'worker_lost' },
      'reached, unknown',
    ],
    ['a machine, which counts', 1, { ...answered, answered_by: 'machine' }, 'reached, machine'],
    ['busy', 1, { status: 'busy', hangup_cause: 'user_busy' }, 'waiting waiting_for_retry 10:15, busy'],
    ['not answered', 2, { status: 'no_answer' }, 'waiting waiting_for_retry 11:00, no_answer'],
    ['failed', 1, {}, 'waiting waiting_for_retry 10:30, failed'],
    ['failed at the last attempt', 3, {}, 'exhausted attempts_exhausted, failed'],
    ['a cause with a delay of its own', 1, { hangup_cause: 'auth_failed' }, 'waiting waiting_for_retry 10:05, failed'],
    [
      'a cause that is not repeated',
      1,
      { hangup_cause: 'rejected_by_carrier' },
      'exhausted attempts_exhausted, failed',
    ],
    ['the dialer died while it rang', 1, { hangup_cause: 'worker_lost' }, 'waiting waiting_for_retry 10:30, failed'],
    ['an unallocated number', 1, { hangup_cause: 'unallocated_number' }, 'refused invalid_number, failed'],
    [
      'a destination that the account may not call',
      1,
      { hangup_cause: 'blocked_destination' },
      'refused blocked_destination, failed',
    ],
    [
      'cancelled while it rang',
      1,
      { status: 'cancelled', hangup_cause: 'cancelled' },
      'cancelled call_cancelled, cancelled',
    ],
  ])('%s', (_, attempts, call, expected) => expect(told(attempts, call)).toBe(expected));

  it.each<[string, Partial<EndedCall>, string]>([
    ['on the do-not-call list', { hangup_cause: 'do_not_call' }, 'refused do_not_call, not counted'],
    ['called too often', { hangup_cause: 'contact_limit' }, 'waiting contact_limit 11:00, not counted'],
    ['outside of its window', { hangup_cause: 'outside_window' }, 'waiting, not counted'],
    ['in a paused campaign', { hangup_cause: 'campaign_stopped' }, 'waiting, not counted'],
    ['by a dialer that was shut down', { hangup_cause: 'drained' }, 'waiting, not counted'],
    [
      'because the webhook said so',
      { status: 'cancelled', hangup_cause: 'skipped_by_webhook' },
      'refused skipped_by_webhook, not counted',
    ],
    ['because the budget was used up', { hangup_cause: 'spend_limit' }, 'waiting, not counted, pause spend_limit'],
    [
      'because its call was cancelled in the queue',
      { status: 'cancelled', hangup_cause: 'cancelled' },
      'cancelled call_cancelled, cancelled, not counted',
    ],
    [
      'because the provider of the agent failed',
      { hangup_cause: 'agent_provider_error' },
      'waiting waiting_for_retry 10:30, failed',
    ],
  ])('that was not dialled %s', (_, call, expected) => expect(told(1, { ...call, started_at: null })).toBe(expected));

  it('whose call was deleted counts as cancelled', () =>
    expect(settle(1, undefined, retry)).toMatchObject({ status: 'cancelled', outcome: 'cancelled' }));

  it('is called again after a machine where the campaign says so', () =>
    expect(told(1, { ...answered, answered_by: 'machine' }, { delay_minutes: { machine: 120 } })).toBe(
      'waiting waiting_for_retry 12:00, machine',
    ));

  it('is called again although its number is unallocated where the campaign names the cause', () =>
    expect(told(1, { hangup_cause: 'unallocated_number' }, { causes: { unallocated_number: 10 } })).toBe(
      'waiting waiting_for_retry 10:10, failed',
    ));

  it('is not called again after an outcome without a delay', () =>
    expect(told(1, { status: 'busy' }, { delay_minutes: {} })).toBe('exhausted attempts_exhausted, busy'));
});

describe('a contact of a campaign that asks the analysis', () => {
  const unless = { rubric: 'confirmed', equals: [true, 'yes'], delay_minutes: 90, wait_minutes: 10 };
  const place = {
    type: 'turn',
    turn: 2,
    source: 'callee',
    started_ms: 1_000,
    ended_ms: 2_000,
    quote: 'yes, please',
  } as const;
  const answered = { ...dialled, status: 'completed', answered_at: at, answered_by: 'human' } as const;
  const said = (value: unknown): EndedCall['analysis'] => ({
    version: 1,
    result: {
      values: { place: value },
      fields: [{ path: 'place', value, status: 'supported', evidence: [place] }],
      rubric: [{ name: 'confirmed', question: '?', type: 'boolean', value, status: 'supported', evidence: [place] }],
      summary: null,
    },
  });
  const after = (analysis: EndedCall['analysis'], more: object = {}, attempts = 1) =>
    settle(attempts, { ...answered, analysis }, { ...retry, unless: { ...unless, ...more } });

  it('is reached when the analysis says so, with the evidence', () => {
    const analysis = { version: 1, name: 'confirmed', value: true, matches: true, evidence: [place] };
    expect(after(said(true))).toMatchObject({ status: 'reached', outcome: 'human', analysis });
    const byField = after(said('yes'), { rubric: undefined, field: 'place' });
    expect(byField).toMatchObject({ status: 'reached', analysis: { name: 'place', value: 'yes' } });
  });

  it.each([false, null, 'true', 1])('is called again after the delay when the answer is %j', (value) => {
    const again = after(said(value));
    expect(again).toMatchObject({ status: 'waiting', outcome: 'human', reason: 'waiting_for_retry', counts: true });
    expect(again.dueAt?.toISOString()).toBe('2026-11-23T11:30:00.000Z');
    expect(again.analysis).toMatchObject({ value, matches: false });
  });

  it('is exhausted after the last attempt, and reached when there is no analysis in time', () => {
    expect(after(said(false), {}, 3)).toMatchObject({ status: 'exhausted', reason: 'attempts_exhausted' });
    expect(after(undefined)).toMatchObject({ status: 'reached', outcome: 'human' });
  });
});
