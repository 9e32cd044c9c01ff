import { newLocalSrtp } from '../media/rtp/srtp-keys.js';
import type { SdpAudio } from '../sdp-parse.js';
import { buildAnswer, buildOffer, type LocalAudio, type LocalTerms, negotiate } from '../sdp.js';
import type { IncomingCall } from '../sip/user-agent/incoming-call.js';
import { incompatibility } from '../sip/dialogs/offer-answer.js';
import { parseNameAddr, parseSipUri, userOfUri } from '../sip/messages/sip-address.js';
import type { IncomingLeg, IncomingRequest, Invitation } from './carrier-engine.js';
import { EmbeddedLeg, type LegContext } from './embedded-leg.js';
import { type HangupCause, type Outcome, outcomeOfHangup } from './hangup-cause.js';

export const CALLER_CANCELLED: Outcome = { status: 'no_answer', cause: 'originator_cancel', endedBy: 'caller' };
const NO_CODEC: Outcome = { status: 'failed', cause: 'incompatible_media', endedBy: 'system' };
export const NO_AUDIO: Outcome = { status: 'failed', cause: 'media_unavailable', endedBy: 'system' };

const OUTCOMES: Record<'remote' | 'local' | 'timeout' | 'expired', Outcome> = {
  remote: { status: 'completed', cause: 'normal_clearing', endedBy: 'caller' },
  local: { status: 'completed', cause: 'normal_clearing', endedBy: 'system' },
  // Our 200 was never acknowledged: the caller has gone.
  timeout: { status: 'failed', cause: 'network_error', endedBy: 'system' },
  expired: { status: 'completed', cause: 'session_expired', endedBy: 'system' },
};

/** The refusal of an unanswered INVITE by cause; 480 for all others. */
const REFUSALS: Partial<Record<HangupCause, number>> = {
  cancelled: 603,
  drained: 503,
  incompatible_media: 488,
  media_unavailable: 503,
  skipped_by_webhook: 603,
  worker_lost: 503,
};

/** The leg of an inbound call. */
export class EmbeddedIncomingLeg extends EmbeddedLeg implements IncomingLeg {
  readonly direction = 'inbound';
  private readonly terms: LocalTerms;
  private answering = false;
  private opening: Promise<void> | undefined;

  constructor(
    private readonly call: IncomingCall,
    request: IncomingRequest,
    context: LegContext,
  ) {
    super(request.legId, context, request);
    if (request.callerName !== undefined) call.identify(request.callerName);
    this.terms = { codecs: request.codecs ?? context.codecs, srtp: newLocalSrtp(request.srtp ?? 'off') };
    call.on('media', (audio) => this.takeAudio(audio));
    // The caller acknowledged our offer without an answer.
    call.on('confirmed', () => this.answered || this.hangup('incompatible_media'));
    call.on('dtmf', (digit, durationMs) => this.audio?.receiveDigit(digit, durationMs));
    call.on('transfer', (progress) => this.emit('transfer', progress));
    call.on('ended', (by) => void this.end(OUTCOMES[by], by === 'local'));
    call.on('cancelled', () => void this.finish(CALLER_CANCELLED, { sipCode: 487 }));
    // The caller may have given up before the listener was attached.
    if (!call.undecided) void this.finish(CALLER_CANCELLED, { sipCode: 487 });
  }

  ring(): void {
    if (this.finished || this.answering) return;
    this.call.ring();
    this.emit('ringing');
    this.opening = this.openRinging();
  }

  answer(): void {
    if (this.finished || this.answering || this.hangupCause !== undefined) return;
    this.answering = true;
    void this.answerNow();
  }

  override refer(to: string): Promise<{ accepted: boolean; status?: number }> {
    return this.call.refer(to, { headers: this.headersAtEnd() });
  }

  protected override isDialogAlive(): Promise<boolean> {
    return this.call.isAlive();
  }

  protected override sendDtmfInfo(digit: string): Promise<boolean> {
    return this.call.sendDtmfInfo(digit);
  }

  protected override endCall(): void {
    if (this.call.undecided) this.refuse(outcomeOfHangup(this.hangupCause!, false));
    else this.call.hangup(this.headersAtEnd());
  }

  /** A failure is not the end: the answer tries again. */
  private async openRinging(): Promise<void> {
    try {
      await this.openAudio();
    } catch {
      return;
    }
    if (this.finished) await this.audio?.close();
    else this.open();
  }

  private async answerNow(): Promise<void> {
    const { offer } = this.call;
    if (offer && !negotiate(this.terms, offer)) {
      const warning = incompatibility(this.terms, offer).toHeader(this.call.localAddress);
      return this.refuse(NO_CODEC, { Warning: warning });
    }
    try {
      await this.opening;
      if (!this.audio) await this.openAudio();
    } catch (error) {
      this.context.log.warn('media session of a call leg could not be opened', {
        leg_id: this.id,
        error: (error as Error).message,
      });
      return this.refuse(NO_AUDIO);
    }
    // Refused meanwhile, or the caller gave up.
    if (this.finished) return void (await this.audio?.close());
    const local: LocalAudio = { ...this.rtpAddress(this.call.localAddress), ...this.terms };
    this.call.answer(offer ? buildAnswer(offer, local)! : buildOffer(local), this.terms);
    // Without an offer the remote party describes its audio in its ACK.
    if (offer) this.takeAudio(offer);
  }

  private takeAudio(theirs: SdpAudio): void {
    const agreed = negotiate(this.terms, theirs);
    if (!agreed) return this.hangup('incompatible_media');
    if (this.answered) this.changeAudio(agreed);
    else this.connect(agreed);
  }

  private refuse(outcome: Outcome, headers: Record<string, string> = {}): void {
    const sipCode = REFUSALS[outcome.cause] ?? 480;
    if (sipCode === 503) headers['Retry-After'] = '5';
    this.call.reject(sipCode, undefined, headers);
    void this.finish(localAudio(outcome), { sipCode });
  }

  private end(outcome: Outcome, byUs: boolean): Promise<void> {
    if (byUs && this.hangupCause !== undefined)
      return this.finish(localAudio(outcomeOfHangup(this.hangupCause, this.answered)));
    // The time between our 200 and the audio of an ACK.
    return this.finish(this.answered || outcome.status !== 'completed' ? outcome : CALLER_CANCELLED);
  }
}

/** On an inbound call, an end requested through the API comes from the called side. */
export const localAudio = (outcome: Outcome): Outcome =>
  outcome.endedBy === 'caller' ? { ...outcome, endedBy: 'callee' } : outcome;

/** An inbound INVITE: the calling and the called party. */
export class SipInvitation implements Invitation {
  readonly dialled: readonly string[];
  readonly caller: Invitation['caller'];

  constructor(
    private readonly call: IncomingCall,
    private readonly toLeg: (request: IncomingRequest) => IncomingLeg,
  ) {
    // The Request-URI decides (RFC 3261 §8.2.2.1). A carrier may call the registered user, with the number in P-Called-Party-ID (RFC
    // 7315 §5.2) or only in To.
    const called = parseNameAddr(call.header('p-called-party-id') ?? '')?.uri ?? '';
    const users = [call.requestUser, userOfUri(called), userOfUri(call.to)];
    this.dialled = [...new Set(users.filter((user) => user !== ''))];
    this.caller = callerOf(call);
  }

  get callers(): readonly string[] {
    return this.call.callers;
  }

  header(name: string): string | undefined {
    return this.call.header(name);
  }

  accept(request: IncomingRequest): IncomingLeg {
    return this.toLeg(request);
  }

  refuse(status: number, retryAfterSeconds?: number): void {
    const headers: Record<string, string> =
      retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
    this.call.reject(status, undefined, headers);
  }
}

/** RFC 3325: the asserted identity takes precedence over From. RFC 3323: a caller that requests privacy has no identity. */
function callerOf(call: IncomingCall): Invitation['caller'] {
  const privacy = call.header('privacy') ?? 'none';
  if (!/^\s*none\s*$/i.test(privacy)) return undefined;
  const { user, host } = assertedIdentity(call) ?? identityIn(call.from);
  const nameless = /^(?:anonymous|restricted|unavailable|unknown)$/i.test(user) || /^anonymous\.invalid$/i.test(host);
  return nameless || (user === '' && host === '') ? undefined : { user, host };
}

/** RFC 3325 §9.1: there may be two, in any order, of which one is a number. Undefined: there is none, or none can be read. */
function assertedIdentity(call: IncomingCall): Identity | undefined {
  const identities = call
    .headerList('p-asserted-identity')
    .map((value) => identityIn(parseNameAddr(value)?.uri ?? ''))
    .filter(({ user, host }) => user !== '' || host !== '');
  return (
    identities.find(({ user }) => /^\+\d+$/.test(user)) ??
    identities.find(({ user }) => /^\d+$/.test(user)) ??
    identities.find(({ user }) => user !== '') ??
    identities[0]
  );
}

type Identity = NonNullable<Invitation['caller']>;

const identityIn = (uri: string): Identity => ({ user: userOfUri(uri), host: parseSipUri(uri)?.host ?? '' });
