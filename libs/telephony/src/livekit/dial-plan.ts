import { type DialRequest, NotSupportedByEngine, type Trunk, type TrunkTarget } from '../engine/carrier-engine.js';
import { sipDestination, UndialableDestination } from '../engine/sip-destination.js';
import type { Codec } from '../media/session/media-port.js';
import type { SrtpPolicy } from '../media/rtp/srtp-keys.js';
import type { TransportName } from '../sip/transport/flow.js';
import type { NextHop } from '../sip/locating/locate.js';
import { hasControlCharacters, isHost, isUser, UnsafeSipText } from '../sip/messages/headers.js';
import { isE164User, parseSipUri } from '../sip/messages/sip-address.js';

/** The trunk that a dial request carries for LiveKit. */
export interface InlineTrunk {
  /** `host` or `host:port` */
  hostname: string;
  transport?: TransportName;
  authUsername?: string;
  authPassword?: string;
  fromHost?: string;
}

/** One attempt to place a call by LiveKit. */
export interface DialPlan {
  /** User part of the address to call. */
  number: string;
  from: string;
  displayName?: string;
  /** `id` names an outbound trunk that LiveKit manages. */
  trunk: { id: string } | InlineTrunk;
  headers: Record<string, string>;
  codecs: Codec[];
  srtp: SrtpPolicy;
}

/**
 * The dial attempts of a request, in the order of the trunk's targets.
 * @throws UndialableDestination, UnsafeSipText; NotSupportedByEngine for options that LiveKit would silently ignore
 */
export function dialPlans(request: DialRequest, codecs: Codec[]): DialPlan[] {
  const { destination, trunk, from, divertedFrom } = request;
  if (divertedFrom !== undefined && !isUser(divertedFrom)) throw new UnsafeSipText('Diversion');
  if (!isUser(from.number)) throw new UnsafeSipText('From');
  const number = numberOf(destination, trunk);
  const shared = {
    number,
    ...callerOf(request),
    codecs: request.codecs ?? trunk?.codecs ?? codecs,
    srtp: trunk?.srtp ?? 'off',
  };
  return trunksOf(request).map(({ way, host }) => ({ ...shared, trunk: way, headers: headersOf(request, host) }));
}

/** RFC 3323 §4.1.1.3 */
const ANONYMOUS = { from: 'anonymous', displayName: 'Anonymous', host: 'anonymous.invalid' };

function callerOf({ from, anonymous }: DialRequest): Pick<DialPlan, 'from' | 'displayName'> {
  if (anonymous) return { from: ANONYMOUS.from, displayName: ANONYMOUS.displayName };
  return { from: from.number, ...(from.displayName === undefined ? {} : { displayName: clean(from.displayName) }) };
}

/** The hosts that LiveKit calls; none for a trunk that LiveKit manages. */
export function hostsOf(request: DialRequest): string[] {
  const { trunk } = request;
  if (trunk?.livekitTrunkId !== undefined) return [];
  return sipDestination(request.destination, trunk).nextHops.map(({ host }) => host);
}

function trunksOf(request: DialRequest): { way: DialPlan['trunk']; host: string }[] {
  const { trunk, destination } = request;
  if (trunk?.tls !== undefined) throw new NotSupportedByEngine('certificates of a trunk');
  if (trunk?.livekitTrunkId !== undefined)
    return [{ way: { id: trunk.livekitTrunkId }, host: trunk.fromDomain ?? trunk.targets[0]?.host ?? '' }];
  const { nextHops } = sipDestination(destination, trunk);
  const shown = request.anonymous ? { fromHost: ANONYMOUS.host } : {};
  return nextHops.map((hop) => ({
    way: { ...inlineTrunk(hop, trunk), ...shown },
    host: trunk?.fromDomain ?? hop.host,
  }));
}

function inlineTrunk({ host, port, transport }: NextHop, trunk: Trunk | undefined): InlineTrunk {
  return {
    hostname: port === undefined ? host : `${host}:${port}`,
    ...(transport && { transport }),
    ...(trunk?.username === undefined ? {} : { authUsername: trunk.username, authPassword: trunk.password ?? '' }),
    ...(trunk?.fromDomain === undefined ? {} : { fromHost: trunk.fromDomain }),
  };
}

/** LiveKit builds the Request-URI from this and the host of the trunk. */
function numberOf(destination: DialRequest['destination'], trunk: Trunk | undefined): string {
  if (destination.kind === 'e164') {
    if (!isE164User(destination.number)) throw new UndialableDestination('not an E.164 number');
    return destination.number;
  }
  const uri = parseSipUri(destination.uri);
  if (!uri?.user || !isUser(uri.user)) throw new UndialableDestination('a SIP URI without a user, or not a SIP URI');
  const elsewhere = trunk && !trunk.targets.some((target) => isAt(target, uri.host, uri.port));
  if (elsewhere) throw new NotSupportedByEngine('a SIP URI through a trunk to another host');
  return uri.user;
}

const isAt = (target: TrunkTarget, host: string, port: number | undefined): boolean =>
  target.host.toLowerCase() === host.toLowerCase() && (port === undefined || port === target.port);

function headersOf(request: DialRequest, host: string): Record<string, string> {
  const { headers = {}, trunk, from, anonymous = false, divertedFrom } = request;
  const bad = Object.entries(headers).find(([, value]) => hasControlCharacters(value));
  if (bad) throw new UnsafeSipText(bad[0]);
  const own: Record<string, string> = anonymous ? { Privacy: 'id' } : {};
  if (trunk?.assertIdentity && !isHost(host)) throw new UnsafeSipText('P-Asserted-Identity');
  if (trunk?.assertIdentity) own['P-Asserted-Identity'] = `<sip:${from.number}@${host}>`;
  const privacy = anonymous ? 'full' : 'off';
  // The host of a trunk that LiveKit manages may be unknown.
  if (divertedFrom !== undefined && isHost(host))
    own['Diversion'] = `<sip:${divertedFrom}@${host}>;reason=deflection;counter=1;privacy=${privacy}`;
  return { ...headers, ...own };
}

/** Cosmetic, so forbidden characters are removed. */
const clean = (name: string): string =>
  Array.from(name, (one) => (hasControlCharacters(one) ? '' : one))
    .join('')
    .slice(0, 80);
