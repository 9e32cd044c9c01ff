import { randomBranch } from '../../random-ids.js';
import { parseSdp, type SdpAudio, SdpProblem } from '../../sdp-parse.js';
import { type LocalTerms, negotiate, type NegotiatedAudio } from '../../sdp.js';
import type { AnsweredChallenges, Authorizer } from '../messages/digest.js';
import type { AttemptFailure, CallResult } from './call-result.js';
import { AnsweredInvite } from '../dialogs/answered-invite.js';
import { DialogSession, type SessionEvents } from '../dialogs/dialog-session.js';
import { Dialog } from '../dialogs/dialog.js';
import { EarlyDialogs } from '../dialogs/provisional-responses.js';
import type { Flow } from '../transport/flow.js';
import { buildCancel, buildInvite, type CheckedAddresses, invitePartsOf } from './invite-requests.js';
import { MediaWarning, usableAudio } from '../dialogs/offer-answer.js';
import type { CallPeer } from '../messages/message-source.js';
import { sessionDescription } from '../messages/message-body.js';
import { q850Cause, type SipRequest, type SipResponse } from '../messages/message.js';
import { MAX_INTERVALS, minSe, termsOfResponse } from '../dialogs/session-timer.js';
import { parseSipUri, uriHost } from '../messages/sip-address.js';
import {
  type ClientTransaction,
  type ClientUser,
  DETACHED_USER,
  type TransactionFailure,
  transactionTimeout,
} from '../transactions/transaction.js';
import { transportErrorCode } from '../transport/transport-error.js';
import type { UaCore } from './ua-core.js';

/** The common part of every INVITE of one call. */
export interface CallTerms extends LocalTerms {
  callId: string;
  localTag: string;
  addresses: CheckedAddresses;
  require100rel: boolean;
  /** The remote party, whichever target answers. */
  peer: CallPeer;
}

/** One path to the callee. */
interface AttemptRoute {
  requestUri: string;
  flow: Flow;
  authorizer: Authorizer;
  cseq: number;
  offer: string;
  /** Timer B, in ms; absent: 64 x T1. */
  timeoutMs?: number;
}

export interface AttemptEvents {
  onSent(): void;
  /** The first response, 100 and refusals included. */
  onFirstResponse(): void;
  /** A provisional response other than 100. */
  onProgress(status: number): void;
  /** The negotiated audio of the early dialog that sent its description last. */
  onEarlyAudio(audio: NegotiatedAudio): void;
  onAnswer(session: DialogSession, audio: NegotiatedAudio): void;
  /** Once, and not after `onAnswer`. */
  onFailure(failure: AttemptFailure): void;
}

const nothing = (): void => undefined;

/** The listener after the end of a call. */
const NO_ATTEMPT_EVENTS: AttemptEvents = {
  onSent: nothing,
  onFirstResponse: nothing,
  onProgress: nothing,
  onEarlyAudio: nothing,
  onAnswer: nothing,
  onFailure: nothing,
};
const NO_SESSION_EVENTS: SessionEvents = {
  onBye: nothing,
  onMedia: nothing,
  onDtmf: nothing,
  onAck: nothing,
  onNoAck: nothing,
  onExpired: nothing,
  onTransfer: nothing,
};

/** One INVITE to one target, including challenges and too small intervals, until its answer or failure. */
export class InviteAttempt implements ClientUser {
  private invite!: SipRequest;
  private transaction!: ClientTransaction;
  private early!: EarlyDialogs;
  private branch = '';
  private readonly contact: string;
  private challenges: AnsweredChallenges | undefined;
  /** From the first 2xx. */
  private answers: AnsweredInvite | undefined;
  private winner?: DialogSession;
  private earlyAudio: Map<DialogSession, NegotiatedAudio> | undefined;
  private lastAudio?: NegotiatedAudio;
  private minSeS: number;
  private intervals = 0;
  private provisional = false;
  private rang = false;
  private cancelled = false;
  private cancelTimer?: NodeJS.Timeout;
  private over = false;
  /** Of the latest INVITE. */
  cseq: number;

  constructor(
    private readonly core: UaCore,
    private readonly terms: CallTerms,
    private readonly route: AttemptRoute,
    private events: AttemptEvents,
    private sessionEvents: SessionEvents,
  ) {
    this.cseq = route.cseq;
    this.minSeS = core.sessionTimer.minSeS;
    const { anonymous, fromUser } = terms.addresses;
    const scheme = parseSipUri(route.requestUri)?.scheme;
    this.contact = core.contact(route.flow, anonymous ? 'anonymous' : fromUser, scheme);
  }

  start(): void {
    this.send();
  }

  /** A provisional response has arrived. */
  get hasResponse(): boolean {
    return this.provisional;
  }

  /** Failover to the next target: stops retransmissions; a late answer of this target is cancelled or hung up. */
  failOver(): void {
    this.transaction.stopRepeating();
    this.cancel();
    this.detach();
  }

  /** CANCEL at once, or with the first provisional response (RFC 3261 §9.1). A crossing answer is hung up. */
  cancel(): void {
    this.cancelled = true;
    if (this.provisional) this.sendCancel();
  }

  /**
   * The call is over. For the time of a transaction (32 s) a repeated 2xx may still arrive, or the 2xx of another phone, which is hung
   * up; the call, its session and its audio need not be kept for that.
   */
  detach(): void {
    this.over = true;
    if (this.answers) this.transaction.handOver(this.answers);
    this.events = NO_ATTEMPT_EVENTS;
    this.sessionEvents = NO_SESSION_EVENTS;
    this.winner = undefined;
    this.lastAudio = undefined;
    this.earlyAudio = undefined;
  }

  dispose(): void {
    this.over = true;
    clearTimeout(this.cancelTimer);
    this.transaction.dispose();
    this.early.end(this.winner);
  }

  private send(): void {
    const { core, terms, route } = this;
    const { expiresS } = core.sessionTimer;
    const invite = buildInvite(terms.addresses, {
      callId: terms.callId,
      localTag: terms.localTag,
      cseq: this.cseq,
      requestUri: route.requestUri,
      localHost: uriHost(route.flow.localAddress),
      contact: this.contact,
      offer: route.offer,
      userAgent: core.userAgent,
      session: { expiresS: Math.max(expiresS, this.minSeS), minSeS: this.minSeS },
      require100rel: terms.require100rel,
    });
    route.authorizer.apply(invite);
    this.invite = invite;
    this.early = new EarlyDialogs(core, (response) => this.newSession(response), this.cseq);
    this.branch = randomBranch();
    this.provisional = false;
    this.events.onSent();
    const { peer } = terms;
    this.transaction = core.layer.request(invite, route.flow, this, this.branch, { peer, timeoutMs: route.timeoutMs });
  }

  private sendAgain(): void {
    this.cseq++;
    this.early.end();
    this.send();
  }

  onResponse(response: SipResponse): void {
    this.events.onFirstResponse();
    if (response.status < 200) this.receiveProvisional(response);
    else if (response.status < 300) this.receiveSuccess(response);
    else this.receiveFailure(response);
  }

  private receiveProvisional(response: SipResponse): void {
    this.provisional = true;
    if (this.cancelled) return this.sendCancel();
    if (response.status === 100) return;
    this.rang = true;
    const fork = this.early.of(response);
    const reliability = fork?.provisionals.receive(response) ?? 'unreliable';
    if (reliability === 'repeated' || reliability === 'early') return;
    this.events.onProgress(response.status);
    const audio = this.audioOf(response);
    if (!audio || this.over) return;
    // RFC 3262 §5: a description in a reliable response is the answer, any other only announces it.
    if (fork && reliability === 'new') fork.session.offers.open = undefined;
    this.receiveEarlyAudio(audio, fork?.session);
  }

  private receiveEarlyAudio(audio: NegotiatedAudio, session: DialogSession | undefined): void {
    if (session) (this.earlyAudio ??= new Map()).set(session, audio);
    this.lastAudio = audio;
    this.events.onEarlyAudio(audio);
  }

  private receiveSuccess(response: SipResponse): void {
    const { flow, authorizer } = this.route;
    const answers = (this.answers ??= new AnsweredInvite(this.core, flow, authorizer, this.terms.peer, this.invite));
    if (answers.absorbs(response)) return;
    const fork = this.early.answeredBy(response);
    const session = fork?.session ?? this.newSession(response);
    answers.acknowledge(session.dialog, response);
    // A further fork, or an answer that crossed our CANCEL or failover, must be hung up.
    if (this.winner || this.cancelled || this.over) return this.refuseAnswer(session);
    const audio = this.agreedAudio(session, response);
    this.early.end(session);
    if (!audio) return this.hangUpUnusableAnswer(session, response);
    this.winner = session;
    session.offers.open = undefined;
    if (audio.srtp) session.offers.keepEncrypted();
    session.confirm(response, termsOfResponse(response));
    session.open();
    this.events.onAnswer(session, audio);
  }

  /** No audio could be sent to the remote party: a BYE contains the reason, and the call ends at once. */
  private hangUpUnusableAnswer(session: DialogSession, response: SipResponse): void {
    const theirs = parseSdp(sessionDescription(response) ?? '');
    const isForeign = !(theirs instanceof SdpProblem) && !this.core.speaks(theirs.address);
    if (isForeign) this.core.log.warn('SIP answer has an audio address of another IP version', {});
    session.bye(isForeign ? { Reason: 'SIP;cause=488;text="IP version of the audio address is not supported"' } : {});
    this.fail({ kind: isForeign ? 'foreign-media' : 'no-media' });
  }

  private agreedAudio(session: DialogSession, response: SipResponse): NegotiatedAudio | undefined {
    const early = this.earlyAudio?.get(session);
    // §13.2.1: after an answer in a reliable response, a description in the 2xx is ignored.
    if (early && session.offers.open === undefined) return early;
    // Some carriers describe the audio in the 183 and not again (§13.2.1 wants it in the 2xx).
    return sessionDescription(response) === '' ? (early ?? this.lastAudio) : this.audioOf(response);
  }

  private refuseAnswer(session: DialogSession): void {
    session.bye();
    if (!this.winner) this.fail({ kind: 'cancelled' });
  }

  private receiveFailure(response: SipResponse): void {
    if (!this.cancelled && this.mayRepeat(response)) return this.sendAgain();
    const { status, reason } = response;
    const q850 = q850Cause(response);
    this.fail({ kind: 'rejected', status, reason, ...(q850 === undefined ? {} : { q850 }) }, response);
  }

  private mayRepeat(response: SipResponse): boolean {
    const { status } = response;
    if (status === 401 || status === 407) return this.route.authorizer.learn(response, (this.challenges ??= new Set()));
    const least = status === 422 ? minSe(response) : undefined;
    if (least === undefined || least <= this.minSeS || ++this.intervals > MAX_INTERVALS) return false;
    this.minSeS = least;
    return true;
  }

  onFailure(failure: TransactionFailure, error?: Error): void {
    this.core.log.debug('INVITE had no response', {
      failure,
      problem: error && transportErrorCode(error),
      call_id: this.terms.callId,
    });
    if (failure !== 'timeout') return this.fail({ kind: 'unreachable' });
    // A provisional response that arrives later is answered by CANCEL, a 2xx by ACK and BYE.
    this.cancelled = true;
    this.fail({ kind: 'silent' });
    this.detach();
  }

  private newSession(response: SipResponse): DialogSession {
    const { flow, authorizer } = this.route;
    const dialog = Dialog.ofResponse(this.core, invitePartsOf(this.invite), response, flow, this.terms.peer);
    const start = {
      dialog,
      contact: this.contact,
      authorizer,
      sdp: this.route.offer,
      open: 'ours',
      terms: this.terms,
      minSeS: this.minSeS,
    } as const;
    const events = { ...this.sessionEvents };
    events.onMedia = (theirs) => this.renegotiated(session, theirs);
    const session: DialogSession = new DialogSession(this.core, start, events);
    return session;
  }

  /** The remote party renegotiated the call or an early dialog (RFC 3311). */
  private renegotiated(session: DialogSession, theirs: SdpAudio): void {
    if (session === this.winner) return this.sessionEvents.onMedia(theirs);
    const audio = negotiate(this.terms, theirs);
    if (audio && !this.over) this.receiveEarlyAudio(audio, session);
  }

  private audioOf(response: SipResponse): NegotiatedAudio | undefined {
    const description = sessionDescription(response) ?? '';
    if (description === '') return undefined;
    const theirs = usableAudio(this.core, parseSdp(description), this.route.flow.address);
    return theirs instanceof MediaWarning ? undefined : negotiate(this.terms, theirs);
  }

  private sendCancel(): void {
    if (this.cancelTimer) return;
    this.core.layer.request(buildCancel(this.invite), this.route.flow, DETACHED_USER, this.branch, {
      peer: this.terms.peer,
    });
    // §9.1: without a final response the INVITE counts as cancelled after 64 x T1.
    this.cancelTimer = setTimeout(() => {
      this.transaction.dispose();
      this.fail({ kind: 'cancelled' });
    }, transactionTimeout(this.core.layer.timers));
  }

  /** The only exit without an answer. The transaction continues: it repeats ACKs and hangs up late answers. */
  private fail(result: CallResult, response?: SipResponse): void {
    clearTimeout(this.cancelTimer);
    this.early.end();
    if (this.over) return;
    this.over = true;
    this.events.onFailure({ result, rang: this.rang, ...(response ? { response } : {}) });
  }
}
