import type { SipRequest } from './message.js';

/** Milliseconds. */
export const DEFAULT_DURATION_MS = 160;

/** What an INFO with a key of ours has as its Content-Type. */
export const DTMF_RELAY = 'application/dtmf-relay';

/** The body of an INFO of that type. */
export const dtmfRelayBody = (digit: string, durationMs = DEFAULT_DURATION_MS): string =>
  `Signal=${digit}\r\nDuration=${durationMs}\r\n`;

/** The key of an INFO with application/dtmf-relay (`Signal=5`, `Duration=160`) or application/dtmf (`5`). */
export function dtmfOfInfo(request: SipRequest): { digit: string; durationMs: number } | undefined {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  const relay = type === DTMF_RELAY;
  if (!relay && type !== 'application/dtmf') return undefined;
  const text = relay ? /^\s*Signal\s*=\s*(\S+)/im.exec(request.body)?.[1] : request.body.trim();
  // Some gateways send the numbers of RFC 4733 for the two keys that are not digits.
  const key = text === '10' ? '*' : text === '11' ? '#' : text?.toUpperCase();
  if (key === undefined || !/^[0-9*#A-D]$/.test(key)) return undefined;
  const duration = Number(/^\s*Duration\s*=\s*(\d{1,5})/im.exec(request.body)?.[1] ?? DEFAULT_DURATION_MS);
  return { digit: key, durationMs: duration };
}
