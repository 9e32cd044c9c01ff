import { parseParams } from './header-params.js';
import type { SipMessage } from './message.js';

/** The ISDN cause of `Reason: Q.850;cause=17;text="…"` (RFC 3326). */
export function q850Cause(message: SipMessage): number | undefined {
  for (const reason of message.headers.list('reason')) {
    const [protocol, ...params] = reason.split(';');
    if (protocol!.trim().toUpperCase() !== 'Q.850') continue;
    const cause = Number(parseParams(params.join(';')).get('cause'));
    if (Number.isInteger(cause) && cause > 0 && cause < 128) return cause;
  }
  return undefined;
}
