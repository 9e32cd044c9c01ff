import type { Admit } from './admission.js';
import type { Flow } from './flow.js';
import type { SipRequest, SipResponse } from './message.js';
import { randomTag } from './random-ids.js';
import { responseTo } from './responses.js';

/** Whether a request that belongs to nothing yet gets a transaction, and whose it is. */
export type Screened = { callers: readonly string[] } | { refusal: SipResponse };

/**
 * What strangers get says nothing of us: the method, the number and the required extensions are not even looked at, and the
 * answer names neither product nor abilities.
 */
export function screenRequest(request: SipRequest, from: Flow, admit: Admit): Screened {
  const authorization = request.headers.lines('authorization');
  const { address, reliable: connected } = from;
  const verdict = admit({ method: request.method, address, connected, authorization });
  if (verdict.kind === 'admitted') return { callers: verdict.callers };
  const refusal = responseTo(request, verdict.kind === 'challenged' ? 401 : 403, randomTag());
  if (verdict.kind === 'challenged')
    for (const challenge of verdict.challenges) refusal.headers.push('www-authenticate', challenge);
  return { refusal };
}
