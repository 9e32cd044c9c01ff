import { newRequest, parseCseq, setBody, type SipRequest } from './message.js';
import { ALLOW } from './responses.js';
import { canonicalName } from './header-names.js';
import {
  hasControlCharacters,
  headerValue,
  isHost,
  isToken,
  quotedName,
  UnsafeSipText,
  userPart,
} from './safe-text.js';
import { parseSipUri } from './sip-uri.js';

export interface InviteAddresses {
  requestUri: string;
  from: {
    user: string;
    displayName?: string;
    /** Host part of From, without a port. Our own address when absent. */
    host?: string;
  };
  /** Further headers, by their names. */
  headers?: Record<string, string>;
}

/** The same, checked and written for the wire: nothing made of it can break a message. */
export interface CheckedAddresses {
  requestUri: string;
  fromUser: string;
  fromName: string;
  fromHost?: string;
  headers: [name: string, value: string][];
}

/** @throws UnsafeSipText when an address or header would break out of its place */
export function checkAddresses({ requestUri, from, headers = {} }: InviteAddresses): CheckedAddresses {
  if (!parseSipUri(requestUri) || hasControlCharacters(requestUri) || /[\s<>"]/.test(requestUri))
    throw new UnsafeSipText('request uri');
  if (from.host !== undefined && !isHost(from.host)) throw new UnsafeSipText('from');
  return {
    requestUri,
    fromUser: userPart('from', from.user),
    fromName: from.displayName === undefined ? '' : `${quotedName(from.displayName)} `,
    ...(from.host === undefined ? {} : { fromHost: from.host }),
    headers: Object.entries(headers).map(([name, value]) => checkedHeader(name, value)),
  };
}

function checkedHeader(name: string, value: string): [string, string] {
  if (!isToken(name)) throw new UnsafeSipText('header name');
  return [canonicalName(name), headerValue(name, value)];
}

/** A first INVITE, without Via. */
export function buildInvite(
  addresses: CheckedAddresses,
  ids: { callId: string; localTag: string; cseq: number },
  local: { host: string; contact: string },
  offer: string,
  userAgent: string,
): SipRequest {
  const { requestUri, fromName, fromUser, fromHost = local.host } = addresses;
  const invite = newRequest('INVITE', requestUri);
  invite.headers
    .push('max-forwards', '70')
    .push('from', `${fromName}<sip:${fromUser}@${fromHost}>;tag=${ids.localTag}`)
    .push('to', `<${requestUri}>`)
    .push('call-id', ids.callId)
    .push('cseq', `${ids.cseq} INVITE`)
    .push('contact', local.contact)
    .push('allow', ALLOW)
    .push('user-agent', userAgent);
  for (const [name, value] of addresses.headers) invite.headers.push(name, value);
  setBody(invite, 'application/sdp', offer);
  return invite;
}

/** RFC 3261 §9.1: the same Request-URI, Call-ID, To, From, CSeq number and Route; the branch is the INVITE's too. */
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
