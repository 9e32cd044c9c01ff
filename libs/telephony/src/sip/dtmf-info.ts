import type { DialogRequests } from './dialog-requests.js';
import { setBody, type SipMessage, type SipRequest } from './message.js';
import type { TimerSettings } from './transaction.js';

/** Milliseconds. */
export const DEFAULT_DURATION_MS = 160;

/** Content-Type of outgoing INFO keys. */
const DTMF_RELAY = 'application/dtmf-relay';

/** The body of an INFO of that type. */
const dtmfRelayBody = (digit: string, durationMs = DEFAULT_DURATION_MS): string =>
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

/** In multiples of T1 (4 s by default): an IVR that waits for a key gives up soon after. Three repetitions of the request fit in. */
const ANSWER_T1S = 8;

/**
 * Sends keys as INFO requests: the `application/dtmf-relay` body that gateways share, outside an Info Package (RFC 6086 §9.3).
 */
export class DtmfInfoSender {
  private taken = false;

  constructor(
    private readonly requests: DialogRequests,
    private readonly timers: TimerSettings,
  ) {}

  /** `message`: the far end's INVITE or its 2xx. Without an Allow header its abilities are unknown (RFC 3261 §20.5). */
  learn(message: SipMessage): void {
    this.taken = message.headers.list('allow').includes('INFO');
  }

  /** False when the far end does not accept INFO; one refusal or missing response disables INFO for the call. */
  async press(digit: string): Promise<boolean> {
    if (!this.taken) return false;
    const reply = await this.requests.send(
      'INFO',
      (info) => setBody(info, DTMF_RELAY, dtmfRelayBody(digit)),
      ANSWER_T1S * this.timers.t1,
    );
    this.taken = typeof reply !== 'string' && reply.status < 300;
    return this.taken;
  }
}
