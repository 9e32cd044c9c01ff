import type { Codec } from '../media/media-port.js';
import type { MediaOptions } from '../media/media-session.js';
import type { OutgoingCall } from '../sip/outgoing-call.js';
import type { MessageTap } from '../sip/transaction-layer.js';
import { SipUserAgent, type UserAgentOptions } from '../sip/user-agent.js';
import type { CallLeg, CarrierEngine, DialRequest } from './carrier-engine.js';
import { EmbeddedLeg } from './embedded-leg.js';
import { sipEventOf, type SipEvent } from './sip-event.js';

export interface EmbeddedEngineOptions {
  /** The SIP endpoint; `checkAddress` in here guards against calls into inside networks. */
  sip: Omit<UserAgentOptions, 'tap'>;
  media: Omit<MediaOptions, 'recordTo'>;
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
    const leg = new EmbeddedLeg(request, { agent: this.agent, media, codecs, log: sip.log, onCall }, signal);
    this.legs.add(leg);
    leg.once('ended', () => this.forget(leg));
    // No INVITE leaves any more once the dialer is going down.
    if (this.draining) leg.hangup('drained');
    return leg;
  }

  async drain(deadline: Date): Promise<void> {
    this.draining = true;
    if (this.legs.size === 0) return;
    const ms = Math.min(Math.max(0, deadline.getTime() - Date.now()), LONGEST_TIMER_MS);
    const timer = setTimeout(() => {
      for (const leg of this.legs) leg.hangup('drained');
    }, ms);
    await new Promise<void>((resolve) => this.whenEmpty.push(resolve));
    clearTimeout(timer);
  }

  /** Hangs up what is left as `drained` and closes the endpoint. */
  async close(): Promise<void> {
    this.draining = true;
    for (const leg of this.legs) leg.hangup('drained');
    await this.agent.close();
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
