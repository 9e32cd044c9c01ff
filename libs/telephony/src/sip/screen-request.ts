import type { Admit, Verdict } from './admission.js';
import type { Flow } from './flow.js';
import type { SipRequest, SipResponse } from './message.js';
import { randomTag } from './random-ids.js';
import { responseTo } from './responses.js';

/** Whether a request that belongs to nothing yet gets a transaction, and whose it is; or its answer, which may be none. */
export type Screened = { callers: readonly string[] } | { refusal: SipResponse | undefined };

/**
 * The answer to unknown sources says nothing of us: the method, the number and the required extensions are not even looked at, and
 * it names neither product nor abilities.
 */
export function screenRequest(request: SipRequest, from: Flow, admit: Admit): Screened {
  const verdict = admit(factsOf(request, from));
  if (verdict.kind === 'admitted') return { callers: verdict.callers };
  return { refusal: refusalOf(verdict, request) };
}

/** Whether a request that names nothing of ours, or cannot be read, gets its 481 or 400: always from known addresses, from others to a limit. */
export const answersStray = (request: SipRequest, from: Flow, admit: Admit): boolean =>
  admit({ ...factsOf(request, from), stray: true }).kind !== 'ignored';

function factsOf({ method, uri, headers }: SipRequest, { address, reliable: connected }: Flow) {
  return { method, uri, address, connected, authorization: headers.lines('authorization') };
}

function refusalOf(verdict: Exclude<Verdict, { kind: 'admitted' }>, request: SipRequest): SipResponse | undefined {
  if (verdict.kind === 'ignored') return undefined;
  const refusal = responseTo(request, verdict.kind === 'challenged' ? 401 : 403, randomTag());
  if (verdict.kind === 'challenged')
    for (const challenge of verdict.challenges) refusal.headers.push('www-authenticate', challenge);
  return refusal;
}
