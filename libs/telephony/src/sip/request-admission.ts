import type { SipRequest, SipResponse } from './message.js';
import { ACCEPT, isEncoded } from './message-body.js';
import { ALLOW, responseTo, SUPPORTED } from './responses.js';

const SPOKEN = new Set(ALLOW.split(', '));
/** Known to SIP, but not to this user agent: 405. What nobody knows is 501 (RFC 3261 §21.5.2). */
const KNOWN = new Set(['REGISTER', 'SUBSCRIBE', 'PUBLISH', 'MESSAGE', 'REFER']);

/** The refusal of a request we do not speak the method or a required extension of, or undefined. */
export function refusal(request: SipRequest, toTag?: string): SipResponse | undefined {
  if (!SPOKEN.has(request.method)) return withAllow(request, KNOWN.has(request.method) ? 405 : 501, toTag);
  const unknown = request.headers.list('require').filter((tag) => !SUPPORTED.includes(tag.toLowerCase()));
  if (unknown.length === 0) return undefined;
  const response = responseTo(request, 420, toTag);
  response.headers.push('unsupported', unknown.join(', '));
  return response;
}

export function withAllow(request: SipRequest, status: number, toTag?: string): SipResponse {
  const response = responseTo(request, status, toTag);
  response.headers.push('allow', ALLOW);
  return response;
}

/** The answer to OPTIONS (RFC 3261 §11.2). */
export function capabilities(request: SipRequest, toTag?: string): SipResponse {
  const response = withAllow(request, 200, toTag);
  response.headers.push('accept', ACCEPT).push('supported', SUPPORTED.join(', '));
  return response;
}

/** 415: what we do read is listed (RFC 3261 §21.4.13). */
export function unsupportedBody(request: SipRequest, toTag?: string): SipResponse {
  const response = responseTo(request, 415, toTag);
  response.headers.push('accept', ACCEPT);
  if (isEncoded(request.headers)) response.headers.push('accept-encoding', 'identity');
  return response;
}
