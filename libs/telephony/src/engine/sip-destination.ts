import type { TransportName } from '../sip/transport/flow.js';
import type { NextHop } from '../sip/locating/locate.js';
import { isHost, isUser } from '../sip/messages/headers.js';
import { isE164User, parseSipUri, rewriteUri, type SipUri } from '../sip/messages/sip-address.js';
import type { DialRequest, Trunk, TrunkTarget } from './carrier-engine.js';

/** The destination cannot be dialled: not E.164, not a SIP URI, or a number without a trunk. */
export class UndialableDestination extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'UndialableDestination';
  }
}

export interface SipDestination {
  requestUri: string;
  /** In the order to try. */
  nextHops: NextHop[];
}

/**
 * Request-URI and first hops. The URI is rebuilt from its parts; only the parameters `transport` and `user` are kept, so that `maddr`,
 * `method` or `?headers` in a destination cannot redirect the call or add to it.
 * @throws UndialableDestination
 */
export function sipDestination(destination: DialRequest['destination'], trunk: Trunk | undefined): SipDestination {
  if (destination.kind === 'e164') return overTrunk(destination.number, trunk);
  const uri = parseSipUri(destination.uri);
  if (!uri) throw new UndialableDestination('not a SIP URI');
  if (uri.user !== undefined && !isUser(uri.user)) throw new UndialableDestination('user part of the SIP URI');
  const nextHops = trunk ? trunkHops(trunk) : [uriHop(uri)];
  if (uri.scheme === 'sips' && nextHops.some((hop) => hop.transport !== 'tls'))
    throw new UndialableDestination('a sips: URI over a trunk without TLS');
  return { requestUri: rewriteUri(uri, uri.scheme === 'sips' ? undefined : transportOf(uri)), nextHops };
}

/** The number at the first target: carriers with several targets accept it on each of them. */
function overTrunk(number: string, trunk: Trunk | undefined): SipDestination {
  if (!isE164User(number)) throw new UndialableDestination('not an E.164 number');
  const [first] = trunk?.targets ?? [];
  if (!trunk || !first) throw new UndialableDestination('a number needs a trunk');
  const phone = trunk.userPhone === false ? '' : ';user=phone';
  return { requestUri: `sip:${number}@${first.host}${portSuffix(first)}${phone}`, nextHops: trunkHops(trunk) };
}

function portSuffix({ port, transport }: TrunkTarget): string {
  const usual = transport === 'tls' ? 5061 : 5060;
  return port === undefined || port === usual ? '' : `:${port}`;
}

/** @throws UndialableDestination when a host is invalid */
export function trunkHops({ targets, tls }: Trunk): NextHop[] {
  return targets.map((target) => {
    if (!isHost(target.host)) throw new UndialableDestination('host of the trunk');
    return { ...target, ...(tls === undefined ? {} : { tls }) };
  });
}

function uriHop(uri: SipUri): NextHop {
  // Without a transport the DNS of the host chooses it (RFC 3263 §4.1).
  return { host: uri.host, port: uri.port, transport: transportOf(uri) };
}

/** RFC 5630 §3.1.3: `sips:` implies TLS; its `transport` names the layer below. */
function transportOf({ scheme, params }: SipUri): TransportName | undefined {
  const named = params.get('transport')?.toLowerCase();
  if (named === undefined) return scheme === 'sips' ? 'tls' : undefined;
  if (named === 'tcp' || named === 'tls') return scheme === 'sips' ? 'tls' : named;
  if (named === 'udp' && scheme === 'sip') return named;
  throw new UndialableDestination('transport of the SIP URI');
}
