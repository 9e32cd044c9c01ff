import { describe, expect, it } from '@jest/globals';
import { apiReason, callFailure, isRefusal, leftAfterAnswer, leftBeforeAnswer } from './livekit-api.js';

const twirp = (status: number, code: string, message = '', metadata = {}) => ({ status, code, message, metadata });
const sip = (status: number) =>
  twirp(429, 'resource_exhausted', '', { sip_status_code: String(status), sip_status: 'Said' });

describe('callFailure', () => {
  it.each<[string, unknown, boolean, string, string]>([
    ['a SIP status', sip(486), true, 'busy', 'user_busy'],
    ['a SIP status of the carrier', sip(503), false, 'failed', 'service_unavailable'],
    ["LiveKit's ring timer", twirp(408, 'canceled'), true, 'no_answer', 'no_answer'],
    ['a target that does not respond', twirp(408, 'canceled'), false, 'failed', 'no_response'],
    ['a deadline while it rang', twirp(408, 'deadline_exceeded'), true, 'no_answer', 'no_answer'],
    [
      'a challenge without credentials',
      twirp(412, 'failed_precondition', 'server required auth'),
      false,
      'failed',
      'auth_failed',
    ],
    ['a request that LiveKit rejects', twirp(400, 'invalid_argument'), false, 'failed', 'request_refused'],
    ['a refused API key', twirp(401, 'unauthenticated'), false, 'failed', 'service_unavailable'],
    ['an unknown trunk', twirp(404, 'not_found'), false, 'failed', 'service_unavailable'],
    ['no answer', new TypeError('fetch failed'), false, 'failed', 'network_error'],
    ['a late answer', new DOMException('', 'TimeoutError'), true, 'failed', 'network_error'],
  ])('%s', (_, error, rang, status, cause) => {
    expect(callFailure(error, rang).outcome).toMatchObject({ status, cause });
  });

  it('keeps the status and its reason', () => {
    expect(callFailure(sip(486), false).sip).toEqual({ sipCode: 486, sipReason: 'Said' });
  });
});

it.each([
  [11, 'no_answer', 'no_answer'],
  [12, 'busy', 'user_busy'],
  [13, 'failed', 'service_unavailable'],
  [undefined, 'failed', 'service_unavailable'],
])('a phone that left before the answer with reason %s', (reason, status, cause) => {
  expect(leftBeforeAnswer(reason).outcome).toMatchObject({ status, cause });
  expect(leftBeforeAnswer(reason).sip).toEqual({});
});

it.each([
  [1, 'normal_clearing', 'callee'],
  [undefined, 'normal_clearing', 'callee'],
  [13, 'network_error', 'system'],
])('a phone that left after the answer with reason %s', (reason, cause, endedBy) => {
  expect(leftAfterAnswer(reason).outcome).toEqual({ status: 'completed', cause, endedBy });
});

it.each([
  [twirp(401, 'unauthenticated'), 'LiveKit refuses the API key.', true],
  [twirp(500, 'internal'), 'LiveKit answers 500.', false],
  [new TypeError('fetch failed'), 'LiveKit cannot be reached.', false],
])('the reason for the operator of %s', (error, reason, refusal) => {
  expect([apiReason(error), isRefusal(error)]).toEqual([reason, refusal]);
});
