import type { Codec } from '../media/media-port.js';
import type { MediaHost } from '../media-host/media-host.js';
import type { OutgoingCall } from '../sip/outgoing-call.js';
import type { MessageTap } from '../sip/transaction-layer.js';
import { SipUserAgent, type UserAgentOptions } from '../sip/user-agent.js';
import type { CallLeg, CarrierEngine, DialRequest, EngineCaps } from './carrier-engine.js';
import type { EmbeddedLeg } from './embedded-leg.js';
import { OutgoingLeg } from './outgoing-leg.js';
import { sipEventOf, type SipEvent } from './sip-event.js';

export interface EmbeddedEngineOptions {
  /** The SIP endpoint; `checkAddress` in here guards against calls into inside networks. */
  sip: Omit<UserAgentOptions, 'tap'>;
  /** Has the audio of the legs; closed with the engine. */
  media: MediaHost;
  /** In the order of preference. */
  codecs: Codec[];
  /** Sees every SIP message of a leg. */
  onSipEvent?: (legId: string, event: SipEvent) => void;
}

/** The answer to a BYE comes after the leg has ended; its events still belong to the leg for as long as SIP may repeat them. */
const LATE_MESSAGES_MS = 32_000;
/** setTimeout takes no more than 31 bits of milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Places calls with the SIP and RTP of this library. */
export class EmbeddedEngine implements CarrierEngine {
  readonly caps: EngineCaps = {
    dtmf: true,
    refer: true,
    bridge: true,
    srtp: false,
    inbound: false,
    recording: true,
    sipEvents: true,
    audioTasks: true,
  };
  private readonly legs = new Set<EmbeddedLeg>();
  private readonly legIds = new Map<string, string>();
  private whenEmpty: (() => void)[] = [];
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

  dial(request: DialRequest, signal?: AbortSignal): CallLeg {
    const { media, codecs, sip } = this.options;
    const onCall = (call: OutgoingCall): void => this.nameEvents(call, request.legId);
    const leg = new OutgoingLeg(request, { agent: this.agent, media, codecs, log: sip.log, onCall }, signal);
    this.keep(leg);
    // No INVITE leaves any more once the dialer is going down.
    if (this.draining) leg.hangup('drained');
    return leg;
  }

  async drain(deadline: Date): Promise<void> {
    this.draining = true;
    const ms = Math.min(Math.max(0, deadline.getTime() - Date.now()), LONGEST_TIMER_MS);
    const timer = setTimeout(() => {
      for (const leg of this.legs) leg.hangup('drained');
    }, ms);
    await this.empty();
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    this.draining = true;
    for (const leg of this.legs) leg.hangup('drained');
    await this.agent.close();
    await this.empty();
    await this.options.media.close();
  }

  private keep(leg: EmbeddedLeg): void {
    this.legs.add(leg);
    leg.once('ended', () => this.forget(leg));
  }

  /** Resolves when every leg has ended. */
  private empty(): Promise<void> {
    if (this.legs.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.whenEmpty.push(resolve));
  }

  private forget(leg: EmbeddedLeg): void {
    this.legs.delete(leg);
    if (this.legs.size > 0) return;
    for (const resolve of this.whenEmpty.splice(0)) resolve();
  }

  private nameEvents(call: OutgoingCall, legId: string): void {
    if (!this.options.onSipEvent) return;
    this.legIds.set(call.callId, legId);
    call.once('ended', () => setTimeout(() => this.legIds.delete(call.callId), LATE_MESSAGES_MS).unref());
  }

  private tap(onSipEvent: (legId: string, event: SipEvent) => void): MessageTap {
    return (direction, message, flow, data) => {
      const legId = this.legIds.get(message.headers.get('call-id') ?? '');
      if (legId !== undefined) onSipEvent(legId, sipEventOf(direction, message, flow, data, this.port));
    };
  }
}
