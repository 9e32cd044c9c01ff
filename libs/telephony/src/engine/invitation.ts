import type { IncomingCall } from '../sip/incoming-call.js';
import { parseNameAddr } from '../sip/name-addr.js';
import { parseSipUri } from '../sip/sip-uri.js';
import type { IncomingLeg, IncomingRequest, Invitation } from './carrier-engine.js';

/** An INVITE that came in, as far as it says who calls whom. */
export class SipInvitation implements Invitation {
  readonly dialled: readonly string[];
  readonly caller: Invitation['caller'];

  constructor(
    private readonly call: IncomingCall,
    private readonly toLeg: (request: IncomingRequest) => IncomingLeg,
  ) {
    // A carrier may call the registered user, and name the number in P-Called-Party-ID (RFC 7315 §5.2) or in To only.
    const called = parseNameAddr(call.header('p-called-party-id') ?? '')?.uri ?? '';
    const users = [call.requestUser, userOf(called), userOf(call.to)];
    this.dialled = [...new Set(users.filter((user) => user !== ''))];
    this.caller = callerOf(call);
  }

  get callers(): readonly string[] {
    return this.call.callers;
  }

  accept(request: IncomingRequest): IncomingLeg {
    return this.toLeg(request);
  }

  refuse(status: number, retryAfterSeconds?: number): void {
    const headers: Record<string, string> =
      retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
    this.call.reject(status, undefined, headers);
  }
}

/** RFC 3325: the carrier's word counts more than From; RFC 3323: who asks for privacy gets it. */
function callerOf(call: IncomingCall): Invitation['caller'] {
  const privacy = call.header('privacy') ?? 'none';
  if (!/^\s*none\s*$/i.test(privacy)) return undefined;
  const asserted = parseNameAddr(call.header('p-asserted-identity') ?? '')?.uri;
  const uri = asserted ?? call.from;
  const user = userOf(uri);
  const host = parseSipUri(uri)?.host ?? '';
  const nameless = /^(?:anonymous|restricted|unavailable|unknown)$/i.test(user) || /^anonymous\.invalid$/i.test(host);
  return nameless || (user === '' && host === '') ? undefined : { user, host };
}

/** The number or name in a SIP or tel URI, without its parameters (`+1555;npdi`). */
function userOf(uri: string): string {
  const tel = /^tel:([^;]+)/i.exec(uri)?.[1];
  const user = tel ?? parseSipUri(uri)?.user ?? '';
  return decode(user.split(';', 1)[0]!);
}

function decode(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    // Not an escape sequence after all.
    return user;
  }
}
