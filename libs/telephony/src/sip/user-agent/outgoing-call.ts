import { EventEmitter } from 'node:events';
import type { Codec } from '../../media/session/media-port.js';
import type { LocalSrtp } from '../../media/rtp/srtp-keys.js';
import { randomTag } from '../../random-ids.js';
import { negotiate, type NegotiatedAudio } from '../../sdp.js';
import { Authorizer, type Credentials } from '../messages/digest.js';
import { type AttemptFailure, type CallResult, isTargetFailure, retryAfterMs } from './call-result.js';
import type { DialogSession, SessionEvents } from '../dialogs/dialog-session.js';
import {
  type CallTarget,
  type RedirectAllowed,
  startFailoverTimer,
  type TargetAllowed,
  TargetSet,
} from '../locating/target-set.js';
import type { Flow, Target } from '../transport/flow.js';
import { type AttemptEvents, type CallTerms, InviteAttempt } from './invite-attempt.js';
import { checkAddresses, type InviteAddresses } from './invite-requests.js';
import type { ReofferResult } from '../dialogs/local-offers.js';
import { CallPeer } from '../messages/message-source.js';
import type { NextHop } from '../locating/locate.js';
import type { ReferAnswer, ReferOptions, TransferProgress } from '../dialogs/referral.js';
import { transportErrorCode } from '../transport/transport-error.js';
import type { UaCore } from './ua-core.js';

export interface OutgoingInvite extends InviteAddresses {
  /** Where the INVITE is sent: the host of the Request-URI, or a trunk's targets in the order to try. At least one. */
  nextHops: NextHop[];
  credentials?: Credentials;
  /** The name of the trunk by admission; absent: a call without a trunk. */
  callerName?: string;
  /** The offer; `localAddress` is our address for the remote party. Called once per target. */
  offer: (localAddress: string) => string;
  /** The capabilities in the offer. */
  codecs: Codec[];
  srtp?: LocalSrtp;
  /** Counted from the first INVITE, over all targets. Milliseconds. */
  ringTimeoutMs: number;
  /** How long the last target may send no response, in ms (Timer B); absent: 64 x T1. */
  responseTimeoutMs?: number;
  /** Decides whether a Contact of a 3xx may be called; absent: never. */
  redirectAllowed?: RedirectAllowed;
  /** Decides about the resolved addresses of the hops and of contacts; absent: all. */
  targetAllowed?: TargetAllowed;
  /** The hops are those of a trunk: `targetAllowed` is not asked about them. */
  areHopsTrusted?: boolean;
  /** Requires reliable provisional responses of the remote party (RFC 3262). */
  require100rel?: boolean;
}

interface OutgoingCallEvents {
  /** The INVITE has been handed to the network; once. */
  trying: [];
  /** The first 180, 181, 182, 183 or the like. */
  ringing: [status: number];
  /** The remote party described its audio before the answer; once. */
  early: [audio: NegotiatedAudio];
  /** `target`: the configured one that took the call; absent: a Contact of a 3xx took it. */
  answered: [audio: NegotiatedAudio, target?: Pick<Target, 'address' | 'port'>];
  /** The remote party changed its audio: hold, resume, another address, or the ringback of another phone before the answer. */
  media: [audio: NegotiatedAudio];
  dtmf: [digit: string, durationMs: number];
  /** Progress of the call that the remote party places after `refer`. */
  transfer: [progress: TransferProgress];
  /** Exactly once, and the last event. */
  ended: [result: CallResult];
}

type GivingUp = 'cancelled' | 'no-answer';

/**
 * The calling side of one call: an INVITE to one target after the other until one accepts it. The constructor checks all texts; no
 * other method throws, and the result is the `ended` event.
 */
export class OutgoingCall extends EventEmitter<OutgoingCallEvents> {
  readonly callId: string;
  private readonly terms: CallTerms;
  private readonly authorizer: Authorizer;
  private readonly targetSet: TargetSet;
  private cseq = 1;
  private attempt?: InviteAttempt;
  private session?: DialogSession;
  private announced: { trying?: true; ringing?: true; early?: string } = {};
  private givingUp?: GivingUp;
  /** The failure of the last target. */
  private last?: CallResult;
  /** The last final response of a target. */
  private lastRejection?: CallResult;
  private finished = false;
  private ringTimer?: NodeJS.Timeout;
  private stopWatching: () => void = () => undefined;

  /** @throws UnsafeSipText when an address, header or credential contains forbidden characters */
  constructor(
    private readonly core: UaCore,
    private readonly options: OutgoingInvite,
  ) {
    super();
    const { codecs, srtp, require100rel = false } = options;
    const addresses = checkAddresses(options);
    this.callId = randomTag() + randomTag();
    const peer = new CallPeer(core, options.callerName === undefined ? [] : [options.callerName]);
    this.terms = { callId: this.callId, localTag: randomTag(), addresses, codecs, srtp, require100rel, peer };
    this.authorizer = new Authorizer(options.credentials);
    const { nextHops, redirectAllowed, targetAllowed, areHopsTrusted } = options;
    this.targetSet = new TargetSet(
      core,
      addresses.requestUri,
      nextHops,
      peer,
      redirectAllowed,
      targetAllowed,
      areHopsTrusted,
    );
  }

  get answered(): boolean {
    return this.session !== undefined;
  }

  /**
   * CANCEL before the answer, BYE after it; `headers` go into the BYE. The call ends at once or after the response of the remote party,
   * always with one `ended`.
   */
  hangup(headers?: Record<string, string>): void {
    if (this.finished) return;
    if (this.session) {
      this.session.bye(headers);
      this.finish({ kind: 'bye', by: 'local' });
    } else {
      this.giveUp('cancelled');
    }
  }

  /** Ends the call without waiting for the remote party: the endpoint closes. */
  abandon(): void {
    this.attempt?.dispose();
    this.finish({ kind: this.givingUp ?? 'cancelled' });
  }

  /** Puts the remote party on hold or resumes, by a re-INVITE. Not accepted before the answer and after the end. */
  async hold(on: boolean): Promise<ReofferResult> {
    return this.session && !this.finished ? this.session.reoffer(on) : { accepted: false };
  }

  /** Checks by a request whether the answered call still exists at the remote party: false on 481, 408, silence, and after the end. */
  async isAlive(): Promise<boolean> {
    return this.session && !this.finished ? this.session.isAlive() : false;
  }

  /** Sends a key by INFO; false when the remote party does not allow INFO, refuses it or does not respond, and after the end. */
  async sendDtmfInfo(digit: string): Promise<boolean> {
    return this.session && !this.finished ? this.session.sendDtmfInfo(digit) : false;
  }

  /**
   * Asks the remote party to call `referTo`, a SIP URI, instead of us (RFC 3515); `transfer` events report its progress. The call itself
   * continues until one side hangs up.
   * @throws UnsafeSipText
   */
  async refer(referTo: string, options: ReferOptions = {}): Promise<ReferAnswer> {
    return this.session && !this.finished ? this.session.refer(referTo, options) : { accepted: false };
  }

  /** Locates the first target and sends the INVITE. Never rejects. */
  async start(): Promise<void> {
    const first = await this.targetSet.first();
    if ('kind' in first) return this.finish(first);
    await this.tryTarget(first);
  }

  /** Tries one target. A failed connection counts as a failure of the target. */
  private async tryTarget(candidate: CallTarget): Promise<void> {
    let flow: Flow;
    try {
      flow = await this.core.flowTo(candidate.target);
    } catch (error) {
      this.core.log.debug('SIP target is unreachable', { problem: transportErrorCode(error), call_id: this.callId });
      return this.failed(candidate, { result: { kind: 'unreachable' }, rang: false });
    }
    if (this.finished) return;
    this.ringTimer ??= setTimeout(() => this.ringTimeout(), this.options.ringTimeoutMs);
    const { requestUri, trusted } = candidate;
    // A Contact of a 3xx outside the configured hops gets no credentials and is outside the trust domain of RFC 3325 §7.
    const authorizer = trusted ? this.authorizer : new Authorizer();
    const terms = trusted ? this.terms : withoutIdentity(this.terms);
    // The text and not the function, which would keep the audio of an ended call as long as its transaction.
    const offer = this.options.offer(flow.localAddress);
    const { responseTimeoutMs: timeoutMs } = this.options;
    const route = { requestUri, flow, authorizer, cseq: this.cseq, offer, timeoutMs };
    const { failoverMs, layer } = this.core;
    const timeouts = { silenceMs: failoverMs, refusedMs: layer.timers.t1 };
    if (this.targetSet.hasNext) this.stopWatching = startFailoverTimer(flow, timeouts, () => this.failOver(candidate));
    this.attempt = new InviteAttempt(this.core, terms, route, this.attemptEvents(candidate), this.sessionEvents());
    this.attempt.start();
  }

  /** Timer B applies to the last target only: with 32 s per target the next one would never ring in time. */
  private failOver(candidate: CallTarget): void {
    if (this.finished || this.givingUp) return;
    this.core.log.debug('SIP target does not respond, trying the next one', { call_id: this.callId });
    this.attempt?.failOver();
    this.failed(candidate, { result: { kind: 'silent' }, rang: false });
  }

  private attemptEvents(candidate: CallTarget): AttemptEvents {
    return {
      onSent: () => this.announceTrying(),
      onFirstResponse: () => this.stopWatching(),
      onProgress: (status) => this.announceRinging(status),
      onEarlyAudio: (audio) => this.announceEarly(audio),
      onAnswer: (session, audio) => this.answer(candidate, session, audio),
      onFailure: (failure) => this.failed(candidate, failure),
    };
  }

  private sessionEvents(): SessionEvents {
    return {
      onBye: (q850) => this.finish({ kind: 'bye', by: 'remote', ...(q850 === undefined ? {} : { q850 }) }),
      onMedia: (theirs) => {
        const audio = negotiate(this.terms, theirs);
        if (audio) this.emit('media', audio);
      },
      onDtmf: (digit, durationMs) => this.emit('dtmf', digit, durationMs),
      onAck: () => undefined,
      onNoAck: () => this.hangup(),
      onExpired: () => this.expire(),
      onTransfer: (progress) => this.emit('transfer', progress),
    };
  }

  private announceTrying(): void {
    if (this.announced.trying) return;
    this.announced.trying = true;
    this.emit('trying');
  }

  private announceRinging(status: number): void {
    if (this.announced.ringing || this.finished) return;
    this.announced.ringing = true;
    this.emit('ringing', status);
  }

  /** Several phones may send ringback; the last one is audible. */
  private announceEarly(audio: NegotiatedAudio): void {
    const description = JSON.stringify(audio);
    const before = this.announced.early;
    if (this.finished || before === description) return;
    this.announced.early = description;
    this.emit(before === undefined ? 'early' : 'media', audio);
  }

  private answer({ requestUri, target }: CallTarget, session: DialogSession, audio: NegotiatedAudio): void {
    clearTimeout(this.ringTimer);
    this.session = session;
    const isRedirected = requestUri !== this.terms.addresses.requestUri;
    this.emit('answered', audio, isRedirected ? undefined : target);
  }

  private failed(candidate: CallTarget, failure: AttemptFailure): void {
    this.stopWatching();
    this.cseq = this.attempt?.cseq ?? this.cseq;
    this.attempt = undefined;
    if (this.finished) return;
    const { result, response } = failure;
    if (this.givingUp) return this.finish(resultOfGivingUp(this.givingUp, result));
    this.last = result;
    if (result.kind === 'rejected') this.lastRejection = result;
    if (isTargetFailure(failure)) this.core.targetFailed(candidate.target, response && retryAfterMs(response.headers));
    void this.tryNext(candidate, failure);
  }

  /** The last failure decides when there is no other candidate. */
  private async tryNext(tried: CallTarget, failure: AttemptFailure): Promise<void> {
    const candidate = await this.targetSet.after(failure);
    if (this.finished) return;
    if (!candidate) return this.finish(this.resultOf(failure.result));
    // RFC 3263 §4.3: the next target gets the same request with a new branch, so that a UAS reached over both responds with 482 to the
    // second and rings once. RFC 3261 §8.1.3.4: a Contact gets a new request.
    if (candidate.requestUri !== tried.requestUri) this.cseq++;
    await this.tryTarget(candidate);
  }

  private ringTimeout(): void {
    // Without any response the carrier is unreachable; the phone did not ring.
    if (this.attempt?.hasResponse) this.giveUp('no-answer');
    else this.giveUp('no-answer', this.resultOf(this.last ?? { kind: 'silent' }));
  }

  /** `silent` is the result of a call to which no target has responded at all. */
  private resultOf(result: CallResult): CallResult {
    return result.kind === 'silent' ? (this.lastRejection ?? result) : result;
  }

  private giveUp(why: GivingUp, result: CallResult = { kind: why }): void {
    if (this.givingUp) return;
    this.givingUp = why;
    this.attempt?.cancel();
    // RFC 3261 §9.1: no CANCEL before a provisional response. The attempt stays and sends it, or ACK and BYE, later.
    if (!this.attempt?.hasResponse) this.finish(result);
  }

  private expire(): void {
    this.session?.bye();
    this.finish({ kind: 'session-expired' });
  }

  /** The only exit. */
  private finish(result: CallResult): void {
    clearTimeout(this.ringTimer);
    this.stopWatching();
    if (this.finished) return;
    this.finished = true;
    this.attempt?.detach();
    this.emit('ended', result);
  }
}

function withoutIdentity(terms: CallTerms): CallTerms {
  const { divertedFrom, ...addresses } = terms.addresses;
  const diversion = divertedFrom === undefined || addresses.anonymous ? {} : { divertedFrom };
  return { ...terms, addresses: { ...addresses, ...diversion, assertIdentity: false } };
}

/** 487 is the response to our CANCEL; another final response that crossed the time-out describes the callee better. */
function resultOfGivingUp(why: GivingUp, result: CallResult): CallResult {
  const crossed = why === 'no-answer' && result.kind === 'rejected' && result.status !== 487;
  return crossed ? result : { kind: why };
}
