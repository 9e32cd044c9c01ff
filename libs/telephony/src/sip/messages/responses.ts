import { ACCEPT, isEncoded } from './message-body.js';
import { HeaderList, type SipRequest, type SipResponse } from './message.js';
import { hasControlCharacters } from './headers.js';
import { tagOf } from './sip-address.js';

const REASONS: Record<number, string> = {
  100: 'Trying',
  180: 'Ringing',
  183: 'Session Progress',
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  410: 'Gone',
  415: 'Unsupported Media Type',
  420: 'Bad Extension',
  422: 'Session Interval Too Small',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  484: 'Address Incomplete',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  491: 'Request Pending',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  504: 'Server Time-out',
  505: 'Version Not Supported',
  600: 'Busy Everywhere',
  603: 'Decline',
};

/**
 * Supported methods. REFER is not supported, because the remote party must not place calls at our cost; it gets 405.
 */
export const ALLOW = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK, NOTIFY';

/** Supported extensions (RFC 3262, RFC 4028). */
export const SUPPORTED = ['100rel', 'timer'];

/** RFC 3261 §8.2.6: the headers that a response copies from its request. `toTag` is added when the request had none. */
export function responseTo(request: SipRequest, status: number, toTag?: string, reason?: string): SipResponse {
  const { headers: from } = request;
  const headers = new HeaderList(from.encoding);
  from.copyTo(headers, 'via');
  headers.push('from', from.get('from')!);
  const to = from.get('to')!;
  headers.push('to', toTag === undefined || tagOf(to) !== undefined ? to : `${to};tag=${toTag}`);
  headers.push('call-id', from.get('call-id')!).push('cseq', from.get('cseq')!);
  const phrase = reason !== undefined && !hasControlCharacters(reason) ? reason : (REASONS[status] ?? 'Unknown');
  return { kind: 'response', status, reason: phrase, headers, body: '' };
}

const SPOKEN = new Set(ALLOW.split(', '));
/** SIP methods that this user agent does not support get 405, unknown ones 501 (RFC 3261 §21.5.2). */
const KNOWN = new Set(['REGISTER', 'SUBSCRIBE', 'PUBLISH', 'MESSAGE', 'REFER']);

/** The refusal of an unsupported method or required extension, or undefined. */
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

/** 415 with the supported types (RFC 3261 §21.4.13). */
export function unsupportedBody(request: SipRequest, toTag?: string): SipResponse {
  const response = responseTo(request, 415, toTag);
  response.headers.push('accept', ACCEPT);
  if (isEncoded(request.headers)) response.headers.push('accept-encoding', 'identity');
  return response;
}
