import { randomInt } from 'node:crypto';
import { parseSdp, type SdpAudio } from '../../sdp-parse.js';
import type { Dialog } from './dialog.js';
import { MediaWarning, notAcceptable, type OfferAnswer, usableAudio } from './offer-answer.js';
import { sessionDescription } from '../messages/message-body.js';
import { parseCseq, setBody, type SipRequest, type SipResponse } from '../messages/message.js';
import { ALLOW, responseTo, SUPPORTED, unsupportedBody } from '../messages/responses.js';
import { intervalTooSmall, type SessionTimer, termsOfAnswer, termsOfRequest, writeTerms } from './session-timer.js';
import {
  Retransmission,
  type ServerTransaction,
  type TimerSettings,
  transactionTimeout,
} from '../transactions/transaction.js';
import type { UaCore } from '../user-agent/ua-core.js';

const NOTHING_TO_OFFER = new MediaWarning(399, 'No media to offer');

/** Shared state of local and remote offers. */
export interface Negotiation {
  core: UaCore;
  dialog: Dialog;
  contact: string;
  offers: OfferAnswer;
  timer: SessionTimer;
  /** The remote party changed its description: hold, resume, another address or codec. */
  onMedia: (audio: SdpAudio) => void;
}

export interface AckEvents {
  onAck(): void;
  /** Our 2xx was never acknowledged: the call must be hung up. */
  onNoAck(): void;
}

/** Answers incoming re-INVITEs and UPDATEs, and repeats the 2xx to an INVITE until its ACK. */
export class RemoteOffers {
  private unacked?: { ok: OkRetransmitter; cseq: number };

  constructor(
    private readonly negotiation: Negotiation,
    private readonly events: AckEvents,
  ) {}

  get awaitsAck(): boolean {
    return this.unacked !== undefined;
  }

  /** The response; undefined when it was sent here. `early`: before the answer of the call. */
  receive(request: SipRequest, transaction: ServerTransaction, early: boolean): SipResponse | undefined {
    const { core, dialog, timer } = this.negotiation;
    const described = sessionDescription(request);
    if (described === undefined) return unsupportedBody(request);
    const refused = this.refusal(request, described, early) ?? intervalTooSmall(request, core.sessionTimer.minSeS);
    if (refused) return refused;
    const invite = request.method === 'INVITE';
    const description = invite && described === '' ? this.offer() : this.answer(described);
    if (description instanceof MediaWarning) return notAcceptable(request, transaction.flow.localAddress, description);
    dialog.refreshTarget(request);
    const terms = early ? termsOfRequest(request) : termsOfAnswer(request, core.sessionTimer);
    const response = this.ok(request, description);
    if (terms) writeTerms(response, terms);
    if (!early) timer.start(terms);
    if (!invite) return response;
    this.sendOk(transaction, response);
    return undefined;
  }

  receiveAck(ack: SipRequest): void {
    const { unacked } = this;
    if (!unacked || parseCseq(ack.headers.get('cseq'))!.number !== unacked.cseq) return;
    this.unacked = undefined;
    unacked.ok.stop();
    const { offers } = this.negotiation;
    if (offers.open === 'ours') this.take(sessionDescription(ack) ?? '');
    offers.unacknowledged = false;
    this.events.onAck();
  }

  /** Sends a 2xx and repeats it until the ACK, which contains the answer to our offer. */
  sendOk(transaction: ServerTransaction, response: SipResponse): void {
    this.stop();
    const send = (): void => transaction.respond(response);
    const ok = new OkRetransmitter(this.negotiation.core.layer.timers, send, () => {
      this.unacked = undefined;
      this.events.onNoAck();
    });
    ok.start();
    this.unacked = { ok, cseq: parseCseq(transaction.request.headers.get('cseq'))!.number };
    this.negotiation.offers.unacknowledged = true;
  }

  /** The answer to our offer, in an ACK or a PRACK. */
  take(body: string): void {
    const { offers, onMedia } = this.negotiation;
    offers.open = undefined;
    const answer = this.described(body);
    if (answer instanceof MediaWarning || !offers.accepts(answer)) return;
    offers.agree(answer);
    onMedia(answer);
  }

  /** The answer to `body`, the empty string without an offer, or a warning with the reason of a refusal. */
  answer(body: string): string | MediaWarning {
    if (body === '') return '';
    const { offers, onMedia } = this.negotiation;
    const offer = this.described(body);
    if (offer instanceof MediaWarning) return offer;
    const answer = offers.answer(offer);
    if (answer === undefined) return offers.incompatibility(offer);
    offers.agree(offer);
    onMedia(offer);
    return answer;
  }

  private described(body: string): SdpAudio | MediaWarning {
    const { core, dialog } = this.negotiation;
    return usableAudio(core, parseSdp(body), dialog.inviteFlow.address);
  }

  stop(): void {
    this.unacked?.ok.stop();
    this.unacked = undefined;
  }

  private refusal(request: SipRequest, described: string, early: boolean): SipResponse | undefined {
    const invite = request.method === 'INVITE';
    // RFC 3261 §14.2: the offer of the first INVITE is still unanswered.
    if (invite && early) return this.negotiation.dialog.ownsCallId ? responseTo(request, 491) : retryLater(request);
    // An UPDATE without a description refreshes only the target and the session (RFC 3311 §5.1).
    if (!invite && described === '') return undefined;
    const { open } = this.negotiation.offers;
    if (open === 'ours') return responseTo(request, 491);
    return open === 'theirs' ? retryLater(request) : undefined;
  }

  private offer(): string | MediaWarning {
    const offer = this.negotiation.offers.offer();
    if (offer === undefined) return NOTHING_TO_OFFER;
    this.negotiation.offers.open = 'ours';
    return offer;
  }

  private ok(request: SipRequest, description: string): SipResponse {
    const { core, contact, dialog } = this.negotiation;
    const response = responseTo(request, 200, dialog.localTag);
    response.headers.push('contact', contact).push('allow', ALLOW).push('supported', SUPPORTED.join(', '));
    response.headers.push('user-agent', core.userAgent);
    if (description !== '') setBody(response, 'application/sdp', description);
    return response;
  }
}

/** A 2xx without its ACK: repeated by the user agent on every transport (RFC 3261 §13.3.1.4). */
class OkRetransmitter {
  private readonly retransmission: Retransmission;
  private timeout?: NodeJS.Timeout;

  constructor(
    private readonly timers: TimerSettings,
    private readonly send: () => void,
    private readonly onTimeout: () => void,
  ) {
    this.retransmission = new Retransmission(timers.t1, timers.t2, send);
  }

  start(): void {
    this.retransmission.start();
    this.timeout = setTimeout(() => {
      this.stop();
      this.onTimeout();
    }, transactionTimeout(this.timers));
    this.send();
  }

  stop(): void {
    this.retransmission.stop();
    clearTimeout(this.timeout);
  }
}

/** 500 with a random Retry-After: an offer arrived before its predecessor was answered (RFC 3261 §14.2, RFC 3311 §5.2). */
function retryLater(request: SipRequest): SipResponse {
  const response = responseTo(request, 500);
  response.headers.push('retry-after', String(randomInt(0, 11)));
  return response;
}
