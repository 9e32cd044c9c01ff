import { HANGUP_CAUSES } from '@app/telephony';
import { describe, expect, it } from '@jest/globals';
import { callFailure, type EndOfCall } from './call-failure.js';

const end = (more: Partial<EndOfCall>): EndOfCall => ({
  ...{ status: 'failed', hangup_cause: 'no_response', sip_code: null, failure_reason: null },
  ...more,
});

describe('a call has a failure', () => {
  it.each<[string, Partial<EndOfCall>, RegExp]>([
    ['when it failed before the answer', {}, /^The carrier sent no response\. Check/],
    [
      'with the SIP status',
      { hangup_cause: 'rejected_by_carrier', sip_code: 403 },
      /^The carrier refused the call \(SIP 403\)\./,
    ],
    ['without a SIP status', { hangup_cause: 'rejected_by_carrier' }, /^The carrier refused the call\. Ask/],
    [
      'with what was missing',
      { hangup_cause: 'agent_provider_error', failure_reason: 'The voice provider openai-live needs OPENAI_API_KEY.' },
      /^The voice agent failed\. The voice provider openai-live needs OPENAI_API_KEY\.$/,
    ],
    ['when it was cut short', { status: 'completed', hangup_cause: 'media_timeout' }, /^No audio arrived/],
    ['of a cause that a newer release stored', { hangup_cause: 'sunspots' }, /^The call failed\.$/],
  ])('%s', (_when, more, message) => {
    const call = end(more);
    expect(callFailure(call)).toEqual({ code: call.hangup_cause, message: expect.stringMatching(message) });
  });

  it('with a sentence for every cause', () => {
    for (const hangup_cause of HANGUP_CAUSES)
      expect(callFailure(end({ hangup_cause, sip_code: 500 }))?.message).toMatch(/^[A-Z][^{}]+\.$/);
  });
});

it.each<Partial<EndOfCall>>([
  { status: 'in_progress', hangup_cause: null },
  { status: 'completed', hangup_cause: 'agent_hangup' },
  { status: 'completed', hangup_cause: 'max_duration' },
  { status: 'busy', hangup_cause: 'user_busy', sip_code: 486 },
  { status: 'no_answer', hangup_cause: 'no_answer' },
  { status: 'cancelled', hangup_cause: 'skipped_by_webhook' },
])('a call has none as %j', (more) => expect(callFailure(end(more))).toBeNull());
