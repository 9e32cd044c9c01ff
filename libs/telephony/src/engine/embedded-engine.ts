import type { MediaHost } from '../media-host/media-host.js';
import type { Codec } from '../media/media-port.js';
import type { IncomingCall } from '../sip/incoming-call.js';
import type { OutgoingCall } from '../sip/outgoing-call.js';
import type { MessageTap } from '../sip/transaction-layer.js';
import { type ObjectCounts, SipUserAgent, type UserAgentOptions } from '../sip/user-agent.js';
import type {
  CallLeg,
  CarrierEngine,
  DialRequest,
  EngineCaps,
  IncomingLeg,
  IncomingRequest,
  Invitation,
  TargetHealth,
  Trunk,
  TrunkHealth,
} from './carrier-engine.js';
import type { EmbeddedLeg } from './embedded-leg.js';
import { EmbeddedIncomingLeg, SipInvitation } from './incoming-leg.js';
import { LegRegistry } from './leg-registry.js';
import { OutgoingLeg } from './outgoing-leg.js';
import { trunkHops } from './sip-destination.js';
import { type SipEvent, sipEventOf } from './sip-event.js';

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
    srtp: true,
    inbound: true,
    recording: true,
    sipEvents: true,
    audioTasks: true,
  };
  private readonly legs = new LegRegistry<EmbeddedLeg>();
  private readonly legIds = new Map<string, { legId: string; pendingInvite: SipEvent | undefined }>();
  /** The last INVITE without a leg: it becomes a call before the next message is read, or not at all. */
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

  /** Where SIP listens. */
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
      return { target: trunk.targets[index]!, ...(await this.agent.options(hop)) };
    });
    return { targets: await Promise.all(asked) };
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

  /** `pendingInvite` arrived before it was known to belong to the leg; it is reported with the next message. */
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
