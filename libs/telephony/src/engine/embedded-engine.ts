import type { MediaHost } from '../media-host/media-host.js';
import type { Codec } from '../media/session/media-port.js';
import type { Flow, TransportName } from '../sip/transport/flow.js';
import type { IncomingCall } from '../sip/user-agent/incoming-call.js';
import { parseCseq, type SipMessage } from '../sip/messages/message.js';
import type { OutgoingCall } from '../sip/user-agent/outgoing-call.js';
import type { MessageTap } from '../sip/transactions/transaction-layer.js';
import type { RegistrationState } from '../sip/user-agent/registration.js';
import { type ObjectCounts, SipUserAgent, type UserAgentOptions } from '../sip/user-agent/user-agent.js';
import {
  type CallLeg,
  type CarrierEngine,
  type DialRequest,
  type EngineCaps,
  type IncomingLeg,
  type IncomingRequest,
  type Invitation,
  LegRegistry,
  type RegisterRequest,
  type TargetHealth,
  type Trunk,
  type TrunkHealth,
  type TrunkRegistration,
} from './carrier-engine.js';
import type { EmbeddedLeg } from './embedded-leg.js';
import { EmbeddedIncomingLeg, SipInvitation } from './incoming-leg.js';
import { OutgoingLeg } from './outgoing-leg.js';
import { trunkHops } from './sip-destination.js';
import { WebInvitation, WebLeg } from '../web/web-leg.js';
import type { WebLine } from '../web/web-line.js';

export interface EmbeddedEngineOptions {
  /** The SIP endpoint; `checkAddress` in here blocks calls into internal networks. */
  sip: Omit<UserAgentOptions, 'tap'>;
  /** Hosts the audio of the legs; closed with the engine. */
  media: MediaHost;
  /** In the order of preference. */
  codecs: Codec[];
  /** Sees every SIP message of a leg. */
  onSipEvent?: (legId: string, event: SipEvent) => void;
}

/** The response to a BYE arrives after the leg has ended; its messages belong to the leg for as long as SIP may repeat them. */
const LATE_MESSAGES_MS = 32_000;

/** Places calls with the SIP and RTP of this library. */
export class EmbeddedEngine implements CarrierEngine {
  readonly caps: EngineCaps = {
    dtmf: true,
    refer: true,
    bridge: true,
    conference: true,
    srtp: true,
    inbound: true,
    registration: true,
    recording: true,
    sipEvents: true,
    audioTasks: true,
  };
  private readonly legs = new LegRegistry<EmbeddedLeg>();
  private readonly legIds = new Map<string, { legId: string; pendingInvite: SipEvent | undefined }>();
  /** The last INVITE without a leg: it becomes a call before the next message is read, or never. */
  private arrived?: { callId: string; event: () => SipEvent };
  private draining = false;
  private agent!: SipUserAgent;

  private constructor(private readonly options: EmbeddedEngineOptions) {}

  /** Opens the SIP endpoint. @throws its bind error, such as EADDRINUSE */
  static async start(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
    const engine = new EmbeddedEngine(options);
    const tap = options.onSipEvent ? { tap: engine.tap(options.onSipEvent) } : {};
    engine.agent = await SipUserAgent.start({ ...options.sip, ...tap });
    return engine;
  }

  /** The SIP port. */
  get port(): number {
    return this.agent.port;
  }

  /** Legs that have not ended. */
  get activeLegs(): number {
    return this.legs.size;
  }

  /** Objects in memory; all counts are 0 from 32 s after the last leg. */
  get held(): ObjectCounts & { legs: number } {
    return { ...this.agent.held, legs: this.legs.size };
  }

  async health(trunk: Trunk): Promise<TrunkHealth> {
    const asked = trunkHops(trunk).map(async (hop, index): Promise<TargetHealth> => {
      return { target: trunk.targets[index]!, ...(await this.agent.options(hop, undefined, trunk.callerName)) };
    });
    return { targets: await Promise.all(asked) };
  }

  register(request: RegisterRequest, onChange: (state: RegistrationState) => void): TrunkRegistration {
    const { trunk, outboundProxy, expiresSeconds, contactUser, replaces } = request;
    const { username = '', password = '', fromDomain, targets, callerName } = trunk;
    const viaProxy = outboundProxy !== undefined;
    const hops = trunkHops(viaProxy ? { ...trunk, targets: [{ ...outboundProxy, priority: 0 }] } : trunk);
    const domain = fromDomain ?? targets[0]!.host;
    const options = { hops, domain, contactUser, expiresSeconds, viaProxy, replaces, callerName };
    const registration = this.agent.register({ ...options, credentials: { username, password } }, onChange);
    return { refresh: () => registration.start(), stop: () => registration.stop() };
  }

  dial(request: DialRequest, signal?: AbortSignal): CallLeg {
    const { media, codecs, sip } = this.options;
    const onCall = (call: OutgoingCall): void => this.assignEvents(call.callId, leg);
    const leg: OutgoingLeg = new OutgoingLeg(
      request,
      { agent: this.agent, media, codecs, log: sip.log, onCall },
      signal,
    );
    this.legs.add(leg);
    // A draining dialer places no new calls.
    if (this.draining) leg.hangup('drained');
    void leg.start();
    return leg;
  }

  onIncoming(handler: (invitation: Invitation) => void): void {
    this.agent.onInvite((call) => {
      if (this.draining) return call.reject(503, undefined, { 'Retry-After': '30' });
      const invite = this.arrived?.callId === call.callId ? this.arrived.event() : undefined;
      handler(new SipInvitation(call, (request) => this.acceptCall(call, request, invite)));
    });
  }

  inviteFromPage(line: WebLine): Invitation {
    return new WebInvitation(line, (request) => {
      const { media, codecs, sip } = this.options;
      const leg = new WebLeg(line, request, { media, codecs, log: sip.log });
      this.legs.add(leg);
      if (this.draining) leg.hangup('drained');
      return leg;
    });
  }

  async drain(deadline: Date): Promise<void> {
    this.draining = true;
    await this.legs.drain(deadline);
  }

  async close(): Promise<void> {
    this.draining = true;
    this.legs.hangUpAll('drained');
    await this.agent.close();
    await this.legs.empty();
    await this.options.media.close();
  }

  private acceptCall(call: IncomingCall, request: IncomingRequest, invite: SipEvent | undefined): IncomingLeg {
    const { media, codecs, sip } = this.options;
    const leg = new EmbeddedIncomingLeg(call, request, { media, codecs, log: sip.log });
    this.legs.add(leg);
    this.assignEvents(call.callId, leg, invite);
    return leg;
  }

  /** `pendingInvite` arrived before the leg existed; it is reported with the next message. */
  private assignEvents(callId: string, leg: EmbeddedLeg, pendingInvite?: SipEvent): void {
    if (!this.options.onSipEvent) return;
    const named = { legId: leg.id, pendingInvite };
    this.legIds.set(callId, named);
    // A caller may have reused its Call-ID.
    const forget = (): unknown => this.legIds.get(callId) === named && this.legIds.delete(callId);
    leg.once('ended', () => setTimeout(forget, LATE_MESSAGES_MS).unref());
  }

  private tap(onSipEvent: (legId: string, event: SipEvent) => void): MessageTap {
    return (direction, message, flow, data) => {
      const callId = message.headers.get('call-id') ?? '';
      const known = this.legIds.get(callId);
      const event = (): SipEvent => sipEventOf(direction, message, flow, data, this.port);
      if (!known) {
        if (message.kind === 'request' && message.method === 'INVITE') this.arrived = { callId, event };
        return;
      }
      if (known.pendingInvite) onSipEvent(known.legId, known.pendingInvite);
      known.pendingInvite = undefined;
      onSipEvent(known.legId, event());
    };
  }
}

/** One message of a leg's signalling, for a ladder diagram. */
export interface SipEvent {
  direction: 'in' | 'out';
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  /** Of a response. */
  status?: number;
  /** `INVITE`, or `180 Ringing`. */
  summary: string;
  transport: TransportName;
  /** The announced local address: outgoing connections use another source port. */
  local: { address: string; port: number };
  remote: { address: string; port: number };
  /** The message as it is on the wire, with passwords, keys and digits masked; one character per byte (latin1). */
  wire: string;
}

/** `localPort`: the port at which the remote party reaches the endpoint. */
function sipEventOf(
  direction: 'in' | 'out',
  message: SipMessage,
  flow: Flow,
  data: Buffer,
  localPort: number,
): SipEvent {
  const response = message.kind === 'response';
  return {
    direction,
    at: Date.now(),
    method: response ? (parseCseq(message.headers.get('cseq'))?.method ?? '') : message.method,
    ...(response ? { status: message.status } : {}),
    summary: response ? `${message.status} ${message.reason}` : message.method,
    transport: flow.transport,
    local: { address: flow.localAddress, port: localPort },
    remote: { address: flow.address, port: flow.port },
    wire: redactSecrets(data.toString('latin1')),
  };
}

/** A quick test: most messages contain none of these. */
const SUSPECT =
  /authorization|authentication-info|a=crypto|a=key-mgmt|[\r\n]k=|ice-pwd|dtmf|\bsips?:[^@<>\s;?:]{1,256}:[^@<>\s]{1,256}@/i;

/** Credentials and their responses. Challenges stay readable: they are useless without the response. */
const CREDENTIAL_HEADER =
  /^((?:proxy-)?auth(?:orization|entication-info)[ \t]*:[ \t]*)([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)/gim;
const DIGEST_SECRET = /\b((?:response|cnonce|rspauth)[ \t]*=[ \t]*)("(?:[^"\\]|\\.)*|[^",\s]+)/gi;
const OTHER_SCHEME = /^(\S+[ \t]+)([^]*)$/;

/**
 * The keys of `a=crypto` behind `inline:`, their lifetimes and identifiers, and the session parameters without a key (RFC 4568 §9.2).
 * Tools reject a session description whose key is not base64 of the right length, so letters are used in place of stars.
 */
const SDES_KEYS =
  /^([A-Za-z0-9+/]+={0,2}(?:\|(?:2\^)?\d+)?(?:\|\d+:\d+)?(?:;inline:|(?=[ \t]|$)))+(?:[ \t]+(?:(?:KDR|WSH)=\d+|UN(?:ENCRYPTED|AUTHENTICATED)_SRTC?P))*[ \t]*$/i;
const SDES_KEY = /((?:^|;inline:))([A-Za-z0-9+/]+)/gi;

/** RFC 4568, RFC 4567, RFC 4566 §5.12, RFC 8839. */
const MEDIA_KEY = /^(a=crypto:[^\r\n]*?inline:|a=key-mgmt:\S+[ \t]+|k=[^:\r\n]+:|a=ice-pwd:)([^\r\n]*)/gim;

/** `sip:user:password@host`. Bounded, because a hostile message has room for 64 KB of `sip:`. */
const URI_PASSWORD = /(\bsips?:[^@<>\s;?:]{1,256}:)([^@<>\s]{1,256})(?=@)/gi;

/** A digit in the body of an INFO: users type card numbers. */
const INFO_DIGIT = /^(signal[ \t]*=[ \t]*)([^\r\n]+)/gim;
const INFO_DIGIT_ALONE = /(\r?\n\r?\n[ \t]*)([0-9A-D*#])(?=\s*$)/i;

const maskSecond = (_all: string, before: string, secret: string): string => before + secret.replace(/[^"\r\n]/g, '*');

function maskMediaKey(all: string, before: string, secret: string): string {
  if (!/^a=crypto/i.test(before) || !SDES_KEYS.test(secret)) return maskSecond(all, before, secret);
  return before + secret.replace(SDES_KEY, (_key, start: string, key: string) => start + 'A'.repeat(key.length));
}

/**
 * The message for storage: credentials, media keys and DTMF digits are replaced by as many stars, so that lengths stay correct
 * (Content-Length, datagrams). SDES keys become as many letters A, which is valid base64.
 */
export function redactSecrets(wire: string): string {
  if (!SUSPECT.test(wire)) return wire;
  return wire
    .replace(CREDENTIAL_HEADER, (_all, name: string, value: string) => name + withoutProof(value))
    .replace(MEDIA_KEY, maskMediaKey)
    .replace(URI_PASSWORD, maskSecond)
    .replace(INFO_DIGIT, maskSecond)
    .replace(INFO_DIGIT_ALONE, maskSecond);
}

/** Only the proof of the password is masked in Digest credentials: support needs user name, realm and nonce. */
function withoutProof(value: string): string {
  const isInfo = /^\s*(?:nextnonce|qop|rspauth|cnonce|nc)\s*=/i.test(value);
  if (isInfo || /^digest\s/i.test(value)) return value.replace(DIGEST_SECRET, maskSecond);
  return value.replace(OTHER_SCHEME, maskSecond);
}
