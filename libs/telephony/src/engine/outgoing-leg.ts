import { newLocalSrtp } from '../media/rtp/srtp-keys.js';
import { buildOffer } from '../sdp.js';
import type { CallResult } from '../sip/user-agent/call-result.js';
import type { OutgoingCall } from '../sip/user-agent/outgoing-call.js';
import type { ReferAnswer } from '../sip/dialogs/referral.js';
import { UnsafeSipText } from '../sip/messages/headers.js';
import type { SipUserAgent } from '../sip/user-agent/user-agent.js';
import type { DialRequest } from './carrier-engine.js';
import { EmbeddedLeg, type LegContext, type SipEnd } from './embedded-leg.js';
import { type HangupCause, type Outcome, outcomeOf, outcomeOfHangup } from './hangup-cause.js';
import { sipDestination, type SipDestination, UndialableDestination } from './sip-destination.js';

interface OutgoingLegContext extends LegContext {
  agent: SipUserAgent;
  /** The SIP call of the leg has its Call-ID. */
  onCall(call: OutgoingCall): void;
}

/** The leg of an outbound call. */
export class OutgoingLeg extends EmbeddedLeg {
  readonly direction = 'outbound';
  private call?: OutgoingCall;

  constructor(
    private readonly request: DialRequest,
    protected override readonly context: OutgoingLegContext,
    signal?: AbortSignal,
  ) {
    super(request.legId, context, request);
    if (signal?.aborted) this.hangupCause = 'cancelled';
    const abort = (): void => this.hangup('cancelled');
    signal?.addEventListener('abort', abort, { once: true });
    this.once('ended', () => signal?.removeEventListener('abort', abort));
  }

  override async refer(to: string): Promise<ReferAnswer> {
    return (await this.call?.refer(to, { headers: this.headersAtEnd() })) ?? { accepted: false };
  }

  protected override async isDialogAlive(): Promise<boolean> {
    return (await this.call?.isAlive()) ?? false;
  }

  protected override async sendDtmfInfo(digit: string): Promise<boolean> {
    return (await this.call?.sendDtmfInfo(digit)) ?? false;
  }

  protected override endCall(): void {
    this.call?.hangup(this.headersAtEnd());
  }

  /** Opens the audio and places the call. Never rejects. */
  async start(): Promise<void> {
    const outcome = await this.callOut();
    if (outcome) await this.finish(outcome);
  }

  /** Opens the audio and places the call; returns the outcome when that fails. */
  private async callOut(): Promise<Outcome | undefined> {
    try {
      const { requestUri, nextHops } = sipDestination(this.request.destination, this.request.trunk);
      if (this.hangupCause === undefined) await this.openAudio(this.request.near);
      if (this.hangupCause !== undefined) return outcomeOfHangup(this.hangupCause, false);
      this.call = this.placeCall(requestUri, nextHops);
      return undefined;
    } catch (error) {
      return { status: 'failed', cause: this.causeOf(error), endedBy: 'system' };
    }
  }

  private causeOf(error: unknown): HangupCause {
    if (error instanceof UndialableDestination || error instanceof UnsafeSipText) return 'invalid_number_format';
    this.context.log.warn('media session of a call leg could not be opened', {
      leg_id: this.id,
      error: (error as Error).message,
    });
    return 'media_unavailable';
  }

  private placeCall(requestUri: string, nextHops: SipDestination['nextHops']): OutgoingCall {
    const { request, context } = this;
    const codecs = request.codecs ?? request.trunk?.codecs ?? context.codecs;
    const srtp = newLocalSrtp(request.trunk?.srtp ?? 'off');
    const { username, password, fromDomain, assertIdentity = false, userPhone = true } = request.trunk ?? {};
    const call = context.agent.invite({
      requestUri,
      nextHops,
      from: { user: request.from.number, displayName: request.from.displayName, host: fromDomain },
      assertIdentity,
      userPhone: userPhone && request.trunk !== undefined,
      anonymous: request.anonymous ?? false,
      divertedFrom: request.divertedFrom,
      headers: request.headers,
      credentials: username === undefined ? undefined : { username, password: password ?? '' },
      callerName: request.trunk?.callerName,
      offer: (localAddress) => {
        const { address, port } = this.rtpAddress(localAddress);
        return buildOffer({ address, port, codecs, srtp });
      },
      codecs,
      srtp,
      ringTimeoutMs: request.ringTimeoutMs,
      responseTimeoutMs: request.trunk?.responseTimeoutMs,
      redirectAllowed: request.redirectAllowed,
      targetAllowed: request.targetAllowed,
      areHopsTrusted: request.trunk !== undefined,
    });
    context.onCall(call);
    this.follow(call);
    return call;
  }

  private follow(call: OutgoingCall): void {
    call.on('trying', () => this.emit('trying'));
    call.on('ringing', () => {
      this.emit('ringing');
      this.open();
    });
    call.on('early', (audio) => this.early(audio));
    call.on('answered', (audio, target) => this.connect(audio, target));
    call.on('media', (audio) => this.changeAudio(audio));
    call.on('dtmf', (digit, durationMs) => this.audio?.receiveDigit(digit, durationMs));
    call.on('transfer', (progress) => this.emit('transfer', progress));
    call.on('ended', (result) => void this.end(result));
  }

  private async end(result: CallResult): Promise<void> {
    const ours = this.hangupCause !== undefined && (result.kind === 'cancelled' || isLocalBye(result));
    const outcome = ours ? outcomeOfHangup(this.hangupCause!, this.answered) : outcomeOf(result);
    await this.finish(outcome, sipFields(result));
  }
}

function isLocalBye(result: CallResult): boolean {
  return result.kind === 'bye' && result.by === 'local';
}

function sipFields(result: CallResult): SipEnd {
  if (result.kind !== 'rejected' && result.kind !== 'bye') return {};
  const q850 = result.q850 === undefined ? {} : { q850: result.q850 };
  return result.kind === 'bye' ? q850 : { ...q850, sipCode: result.status, sipReason: result.reason };
}
