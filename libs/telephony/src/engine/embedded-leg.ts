import { EventEmitter } from 'node:events';
import type { Codec, MediaPort, RtpStats } from '../media/media-port.js';
import { openMediaSession, type MediaOptions, type MediaSession } from '../media/media-session.js';
import { buildOffer, type NegotiatedAudio } from '../sdp.js';
import type { CallResult } from '../sip/call-result.js';
import { isWildcard } from '../sip/flow.js';
import type { OutgoingCall } from '../sip/outgoing-call.js';
import { UnsafeSipText } from '../sip/safe-text.js';
import type { SipLog } from '../sip/sip-log.js';
import type { SipUserAgent } from '../sip/user-agent.js';
import { NoMediaYet, type CallLeg, type DialRequest, type LegEnd, type LegEvents } from './carrier-engine.js';
import { outcomeOf, outcomeOfHangup, type HangupCause, type Outcome } from './hangup-cause.js';
import { sipDestination, type SipDestination, UndialableDestination } from './sip-destination.js';

/** What a leg gets from its engine. */
export interface LegSurroundings {
  agent: SipUserAgent;
  media: Omit<MediaOptions, 'recordTo'>;
  codecs: Codec[];
  log: SipLog;
  /** The SIP call of the leg has its Call-ID. */
  onCall(call: OutgoingCall): void;
}

const NO_STATS: RtpStats = {
  sent: 0,
  received: 0,
  lost: 0,
  reordered: 0,
  duplicates: 0,
  jitterMs: 0,
  lateFrames: 0,
  lossRate: 0,
  srtp: false,
};

/** SIP and RTP of one call of ours, put together. */
export class EmbeddedLeg extends EventEmitter<LegEvents> implements CallLeg {
  private session?: MediaSession;
  private call?: OutgoingCall;
  private answered = false;
  private hangupCause?: HangupCause;
  private finished = false;

  constructor(
    private readonly request: DialRequest,
    private readonly around: LegSurroundings,
    signal?: AbortSignal,
  ) {
    super();
    if (signal?.aborted) this.hangupCause = 'cancelled';
    const abort = (): void => this.hangup('cancelled');
    signal?.addEventListener('abort', abort, { once: true });
    this.once('ended', () => signal?.removeEventListener('abort', abort));
    void this.start();
  }

  get id(): string {
    return this.request.legId;
  }

  media(): MediaPort {
    if (!this.session) throw new NoMediaYet();
    return this.session;
  }

  hangup(cause: HangupCause): void {
    if (this.hangupCause !== undefined || this.finished) return;
    this.hangupCause = cause;
    this.call?.hangup();
  }

  async sendDtmf(digits: string): Promise<void> {
    await this.media().sendDtmf(digits);
  }

  stats(): RtpStats {
    return this.session?.stats() ?? NO_STATS;
  }

  private async start(): Promise<void> {
    const outcome = await this.callOut();
    if (outcome) await this.finish(outcome);
  }

  /** Opens the audio and places the call; the outcome when it came to nothing. */
  private async callOut(): Promise<Outcome | undefined> {
    try {
      const { requestUri, nextHops } = sipDestination(this.request.destination, this.request.trunk);
      if (this.hangupCause === undefined) this.session = await this.openSession();
      if (this.hangupCause !== undefined) return outcomeOfHangup(this.hangupCause, false);
      this.call = this.placeCall(requestUri, nextHops);
      return undefined;
    } catch (error) {
      return { status: 'failed', cause: this.causeOf(error), endedBy: 'system' };
    }
  }

  private openSession(): Promise<MediaSession> {
    const { recordTo } = this.request;
    return openMediaSession({ ...this.around.media, ...(recordTo === undefined ? {} : { recordTo }) });
  }

  private causeOf(error: unknown): HangupCause {
    if (error instanceof UndialableDestination || error instanceof UnsafeSipText) return 'invalid_number_format';
    this.around.log.warn('call leg has no media session', { leg_id: this.id, error: (error as Error).message });
    return 'media_unavailable';
  }

  private placeCall(requestUri: string, nextHops: SipDestination['nextHops']): OutgoingCall {
    const { request, around } = this;
    const codecs = request.codecs ?? request.trunk?.codecs ?? around.codecs;
    const { username, password, fromDomain } = request.trunk ?? {};
    const call = around.agent.invite({
      requestUri,
      nextHops,
      from: {
        user: request.from.number,
        ...(request.from.displayName === undefined ? {} : { displayName: request.from.displayName }),
        ...(fromDomain === undefined ? {} : { host: fromDomain }),
      },
      ...(request.headers === undefined ? {} : { headers: request.headers }),
      ...(username === undefined ? {} : { credentials: { username, password: password ?? '' } }),
      offer: (localAddress) => buildOffer({ ...this.rtpAddress(localAddress), codecs }),
      codecs,
      ringTimeoutMs: request.ringTimeoutMs,
    });
    around.onCall(call);
    this.follow(call);
    return call;
  }

  /** Where the far end sends its audio: a session bound to every address is reached where SIP is. */
  private rtpAddress(sipAddress: string): { address: string; port: number } {
    const { localAddress, localPort } = this.session!;
    return { address: isWildcard(localAddress) ? sipAddress : localAddress, port: localPort };
  }

  private follow(call: OutgoingCall): void {
    call.on('trying', () => this.emit('trying'));
    call.on('ringing', () => this.emit('ringing'));
    call.on('early', () => this.emit('early'));
    call.on('answered', (audio) => this.answer(audio));
    call.on('media', (audio) => this.session?.start(audio));
    call.on('dtmf', (digit, durationMs) => this.session?.receiveDigit(digit, durationMs));
    call.on('ended', (result) => void this.end(result));
  }

  private answer(audio: NegotiatedAudio): void {
    const session = this.session!;
    this.answered = true;
    session.onDtmf((digit, durationMs) => this.emit('dtmf', digit, durationMs));
    session.onTimeout(() => this.hangup('media_timeout'));
    session.start(audio);
    this.emit('answered');
  }

  private async end(result: CallResult): Promise<void> {
    const ours = this.hangupCause !== undefined && (result.kind === 'cancelled' || isLocalBye(result));
    const outcome = ours ? outcomeOfHangup(this.hangupCause!, this.answered) : outcomeOf(result);
    await this.finish(outcome, result);
  }

  /** The one way out: closes the audio, then tells the end. */
  private async finish(outcome: Outcome, result?: CallResult): Promise<void> {
    if (this.finished) return;
    this.finished = true;
    const stats = this.stats();
    const end: LegEnd = { ...outcome, ...sipFields(result), ...(await this.closeSession()), stats };
    this.emit('ended', end);
  }

  private async closeSession(): Promise<Pick<LegEnd, 'recording' | 'recordingError'>> {
    try {
      const { recording, recordingError } = (await this.session?.close()) ?? {};
      return { ...(recording && { recording }), ...(recordingError && { recordingError: lossOf(recordingError) }) };
    } catch (error) {
      // The call is over either way; its end must be told.
      this.around.log.warn('recording could not be finished', { leg_id: this.id, error: (error as Error).message });
      return { recordingError: 'The recording could not be finished.' };
    }
  }
}

/** For the record of the call: the system's name of the fault, without paths. */
function lossOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return `The recording could not be written${code ? ` (${code})` : ''}.`;
}

function isLocalBye(result: CallResult): boolean {
  return result.kind === 'bye' && result.by === 'local';
}

function sipFields(result: CallResult | undefined): Pick<LegEnd, 'sipCode' | 'sipReason' | 'q850'> {
  if (result?.kind !== 'rejected' && result?.kind !== 'bye') return {};
  const q850 = result.q850 === undefined ? {} : { q850: result.q850 };
  return result.kind === 'bye' ? q850 : { ...q850, sipCode: result.status, sipReason: result.reason };
}
