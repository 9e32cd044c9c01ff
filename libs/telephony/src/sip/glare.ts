import { randomInt } from 'node:crypto';
import type { SipRequest, SipResponse } from './message.js';
import { responseTo } from './responses.js';

/**
 * How long to wait after a 491 before asking again, in steps of 10 ms (RFC 3261 §14.1): the two sides wait in ranges that do not
 * overlap, so that they do not meet again.
 */
export function glareDelayMs(ownsCallId: boolean): number {
  return ownsCallId ? 10 * randomInt(210, 401) : 10 * randomInt(0, 201);
}

/** 500 with a random Retry-After: an offer came before its predecessor was answered (RFC 3261 §14.2, RFC 3311 §5.2). */
export function retryLater(request: SipRequest): SipResponse {
  const response = responseTo(request, 500);
  response.headers.push('retry-after', String(randomInt(0, 11)));
  return response;
}
