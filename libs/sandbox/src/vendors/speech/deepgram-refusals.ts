import { randomUUID } from 'node:crypto';
import type { SocketRefusal } from '../emulator.js';
import type { LegFaults } from '../leg-faults.js';

/** A refused stream in the words of Deepgram, whose header repeats the message. */
export function refusal(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): SocketRefusal {
  const body = { err_code: code, err_msg: message, request_id: randomUUID() };
  return { status, headers: { 'dg-error': message, 'dg-request-id': body.request_id, ...headers }, body };
}

export const wrongKey = (): SocketRefusal => refusal(401, 'INVALID_AUTH', 'Invalid credentials.');

export function faultRefusal({ status, retryAfterSeconds }: NonNullable<LegFaults['refusal']>): SocketRefusal {
  if (retryAfterSeconds !== undefined) {
    const message = 'Too many requests. Please try again later.';
    return refusal(status, 'TOO_MANY_REQUESTS', message, { 'retry-after': String(retryAfterSeconds) });
  }
  if (status === 401) return wrongKey();
  return refusal(
    status,
    status === 400 ? 'Bad Request' : 'INTERNAL_SERVER_ERROR',
    'The request could not be processed.',
  );
}
