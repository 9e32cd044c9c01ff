import {
  canonicalName,
  hasControlCharacters,
  headerValue,
  isHost,
  isToken,
  quoteName,
  UnsafeSipText,
  userPart,
} from '../messages/headers.js';
import { HeaderList, newRequest, parseCseq, setBody, type SipRequest } from '../messages/message.js';
import { ALLOW, SUPPORTED } from '../messages/responses.js';
import type { SessionTimerSettings } from '../dialogs/session-timer.js';
import { isE164User, parseSipUri } from '../messages/sip-address.js';

export interface InviteAddresses {
  requestUri: string;
  from: {
    user: string;
    displayName?: string;
    /** Host part of From, without a port. Our own address when absent. */
    host?: string;
  };
  /** P-Asserted-Identity with the address of From (RFC 3325 §9.1); only for a trusting carrier. */
  assertIdentity?: boolean;
  /** `;user=phone` on the addresses whose user is an E.164 number. */
  userPhone?: boolean;
  /**
   * From carries no identity (RFC 3323 §4.1.1.3), and `Privacy: id` keeps the asserted identity inside the carrier's network (RFC 3325
   * §9.3).
   */
  anonymous?: boolean;
  /** User part of the party that this call was diverted from, for Diversion (RFC 5806); at the host of From. */
  divertedFrom?: string;
  /** Further headers by name; headers of the request itself are not allowed. */
  headers?: Record<string, string>;
}

/** The same, checked and formatted for the wire, so that no value can break a message. */
export interface CheckedAddresses {
  requestUri: string;
  fromUser: string;
  fromName: string;
  fromHost?: string;
  /** Appended to the host of From: `;user=phone` or nothing. */
  fromParams: string;
  assertIdentity: boolean;
  anonymous: boolean;
  divertedFrom?: string;
  headers: [name: string, value: string][];
}

/** RFC 3323 §4.1.1.3 */
const ANONYMOUS = '"Anonymous" <sip:anonymous@anonymous.invalid>';
/** Headers that identify and route the request: hops would disagree about duplicates. */
const OWN_HEADERS = new Set(
  [
    'via',
    'max-forwards',
    'from',
    'to',
    'call-id',
    'cseq',
    'contact',
    'allow',
    'supported',
    'require',
    'route',
    'record-route',
  ]
    .concat(['user-agent', 'content-type', 'content-length', 'authorization', 'proxy-authorization', 'rack'])
    .concat(['session-expires', 'min-se']),
);

/** @throws UnsafeSipText when an address or header contains forbidden characters */
export function checkAddresses(given: InviteAddresses): CheckedAddresses {
  const { requestUri, from, headers = {}, assertIdentity = false, userPhone = false, anonymous = false } = given;
  if (!parseSipUri(requestUri) || hasControlCharacters(requestUri) || /[\s<>"]/.test(requestUri))
    throw new UnsafeSipText('request uri');
  if (from.host !== undefined && !isHost(from.host)) throw new UnsafeSipText('from');
  const fromUser = userPart('from', from.user);
  return {
    requestUri: userPhone ? withUserPhone(requestUri) : requestUri,
    fromUser,
    fromParams: userPhone && isE164User(fromUser) ? ';user=phone' : '',
    assertIdentity,
    anonymous,
    divertedFrom: given.divertedFrom === undefined ? undefined : userPart('diversion', given.divertedFrom),
    fromName: from.displayName === undefined ? '' : `${quoteName(from.displayName)} `,
    fromHost: from.host,
    headers: Object.entries(headers)
      .map(([name, value]) => checkHeader(name, value))
      .filter(([name]) => !(anonymous && name === 'privacy')),
  };
}

function withUserPhone(uri: string): string {
  const { user = '', params } = parseSipUri(uri)!;
  return isE164User(user) && !params.has('user') && !uri.includes('?') ? `${uri};user=phone` : uri;
}

function checkHeader(name: string, value: string): [string, string] {
  const canonical = canonicalName(name);
  if (!isToken(name) || OWN_HEADERS.has(canonical)) throw new UnsafeSipText('header name');
  return [canonical, headerValue(name, value)];
}

/** The parts in which the INVITEs of a call differ. */
interface InviteFields {
  callId: string;
  localTag: string;
  cseq: number;
  /** The URI of the callee, or of a Contact in a 3xx. */
  requestUri: string;
  localHost: string;
  contact: string;
  offer: string;
  userAgent: string;
  session: SessionTimerSettings;
  /** Requires reliable provisional responses (RFC 3262 §4). */
  require100rel: boolean;
}

/** A first INVITE, without Via. */
export function buildInvite(addresses: CheckedAddresses, parts: InviteFields): SipRequest {
  const { fromName, fromUser, fromHost = parts.localHost, fromParams } = addresses;
  const invite = newRequest('INVITE', parts.requestUri);
  const identity = `<sip:${fromUser}@${fromHost}${fromParams}>`;
  invite.headers
    .push('max-forwards', '70')
    .push('from', `${addresses.anonymous ? ANONYMOUS : fromName + identity};tag=${parts.localTag}`)
    .push('to', `<${addresses.requestUri}>`)
    .push('call-id', parts.callId)
    .push('cseq', `${parts.cseq} INVITE`)
    .push('contact', parts.contact)
    .push('allow', ALLOW)
    .push('supported', SUPPORTED.join(', '))
    .push('session-expires', String(parts.session.expiresS))
    .push('min-se', String(parts.session.minSeS))
    .push('user-agent', parts.userAgent);
  if (parts.require100rel) invite.headers.push('require', '100rel');
  if (addresses.assertIdentity) invite.headers.push('p-asserted-identity', `${fromName}${identity}`);
  if (addresses.anonymous) invite.headers.push('privacy', 'id');
  if (addresses.divertedFrom !== undefined) invite.headers.push('diversion', diversion(addresses, fromHost));
  for (const [name, value] of addresses.headers) invite.headers.push(name, value);
  setBody(invite, 'application/sdp', parts.offer);
  return invite;
}

export const CREDENTIALS = ['authorization', 'proxy-authorization'];

/** The parts of an INVITE from which its ACKs and dialogs are built. */
export interface InviteParts {
  uri: string;
  from: string;
  callId: string;
  cseq: number;
  /** Absent: it has none. */
  credentials: HeaderList | undefined;
}

export function invitePartsOf({ uri, headers }: SipRequest): InviteParts {
  const credentials = CREDENTIALS.some((name) => headers.get(name) !== undefined) ? new HeaderList() : undefined;
  for (const name of credentials ? CREDENTIALS : []) headers.copyTo(credentials!, name);
  return {
    uri,
    from: headers.get('from')!,
    callId: headers.get('call-id')!,
    cseq: parseCseq(headers.get('cseq'))!.number,
    credentials,
  };
}

/** RFC 5806 §4: the diverting party, once. A diversion after the answer, as by the agent, is a deflection. */
function diversion({ divertedFrom, fromParams, anonymous }: CheckedAddresses, host: string): string {
  return `<sip:${divertedFrom}@${host}${fromParams}>;reason=deflection;counter=1;privacy=${anonymous ? 'full' : 'off'}`;
}

/** RFC 3261 §9.1: the same Request-URI, Call-ID, To, From, CSeq number and Route; the branch is that of the INVITE as well. */
export function buildCancel(invite: SipRequest): SipRequest {
  const cancel = newRequest('CANCEL', invite.uri);
  invite.headers.copyTo(cancel.headers, 'route');
  cancel.headers
    .push('max-forwards', '70')
    .push('from', invite.headers.get('from')!)
    .push('to', invite.headers.get('to')!)
    .push('call-id', invite.headers.get('call-id')!)
    .push('cseq', `${parseCseq(invite.headers.get('cseq'))!.number} CANCEL`);
  return cancel;
}
