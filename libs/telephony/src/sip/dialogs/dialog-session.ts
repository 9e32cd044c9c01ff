import type { SdpAudio } from '../../sdp-parse.js';
import type { LocalTerms } from '../../sdp.js';
import { DialogRequests } from './dialog-requests.js';
import type { Dialog } from './dialog.js';
import type { Authorizer } from '../messages/digest.js';
import type { Flow } from '../transport/flow.js';
import { LocalOffers, type ReofferResult } from './local-offers.js';
import { q850Cause, setBody, type SipMessage, type SipRequest, type SipResponse } from '../messages/message.js';
import { OfferAnswer, type OpenOffer } from './offer-answer.js';
import { type ReferAnswer, type ReferOptions, Referrals, type TransferProgress } from './referral.js';
import { type AckEvents, RemoteOffers } from './remote-offers.js';
import { capabilities, refusal, responseTo } from '../messages/responses.js';
import { headerValue } from '../messages/headers.js';
import { type SessionTerms, SessionTimer } from './session-timer.js';
import type { ServerTransaction, TimerSettings } from '../transactions/transaction.js';
import type { DialogHandler, UaCore } from '../user-agent/ua-core.js';

/** Events inside a call. */
export interface SessionEvents extends AckEvents {
  onBye(q850: number | undefined): void;
  /** The remote party changed its media: hold, resume, another address or codec. */
  onMedia(audio: SdpAudio): void;
  onDtmf(digit: string, durationMs: number): void;
  /** The session was not refreshed in time (RFC 4028): the call must be hung up. */
  onExpired(): void;
  onTransfer(progress: TransferProgress): void;
  /** A PRACK for a reliable response; returns its response, 481 without a listener. */
  onPrack?(prack: SipRequest): SipResponse;
}

interface SessionStart {
  dialog: Dialog;
  contact: string;
  authorizer: Authorizer;
  /** Our session description of the INVITE or its answer. */
  sdp: string;
  /** The side whose offer is still open. */
  open: OpenOffer;
  terms?: LocalTerms;
  /** The Min-SE of the INVITE, or of a 422 to it (RFC 4028 §7.1). Seconds. */
  minSeS: number;
}

/** A call in either direction, early or answered: requests inside its dialog, and its BYE. */
export class DialogSession implements DialogHandler {
  readonly dialog: Dialog;
  readonly offers: OfferAnswer;
  readonly requests: DialogRequests;
  readonly remoteOffers: RemoteOffers;
  private readonly timer: SessionTimer;
  private readonly localOffers: LocalOffers;
  private readonly referrals: Referrals;
  private readonly dtmfInfo: DtmfInfoSender;
  private state: 'early' | 'confirmed' | 'over' = 'early';

  constructor(
    private readonly core: UaCore,
    start: SessionStart,
    private readonly events: SessionEvents,
  ) {
    const { dialog, contact } = start;
    this.dialog = dialog;
    this.offers = new OfferAnswer(start.sdp, start.open, start.terms);
    this.requests = new DialogRequests(core, dialog, contact, start.authorizer);
    this.timer = new SessionTimer(
      (intervalS) => this.localOffers.refresh(intervalS),
      () => events.onExpired(),
    );
    this.timer.minSeS = start.minSeS;
    const onMedia = (audio: SdpAudio): void => events.onMedia(audio);
    const negotiation = { core, dialog, contact, offers: this.offers, timer: this.timer, onMedia };
    this.remoteOffers = new RemoteOffers(negotiation, events);
    this.localOffers = new LocalOffers(negotiation, this.requests);
    this.dtmfInfo = new DtmfInfoSender(this.requests, core.layer.timers);
    this.referrals = new Referrals(this.requests, (progress) => events.onTransfer(progress));
  }

  dialogWith(remoteTag: string | undefined): Dialog | undefined {
    return remoteTag === this.dialog.remoteTag ? this.dialog : undefined;
  }

  get connection(): Flow {
    return this.dialog.inviteFlow;
  }

  /** Receives the requests of the dialog. Not used for further forks of an INVITE, which are only hung up. */
  open(): void {
    this.core.adopt(this.dialog.callId, this.dialog.localTag, this);
  }

  /** Confirms the answered call. `remote`: the INVITE or 2xx of the remote party with its Allow header. */
  confirm(remote: SipMessage, terms: SessionTerms | undefined): void {
    if (this.state !== 'early') return;
    this.state = 'confirmed';
    this.localOffers.takesUpdate = remote.headers.list('allow').includes('UPDATE');
    this.dtmfInfo.learn(remote);
    this.timer.start(terms);
  }

  receive(request: SipRequest, transaction: ServerTransaction): void {
    const response = this.answer(request, transaction);
    if (response) transaction.respond(response);
  }

  receiveAck(ack: SipRequest): void {
    this.remoteOffers.receiveAck(ack);
  }

  /** A re-INVITE that puts the remote party on hold or resumes. */
  reoffer(hold: boolean): Promise<ReofferResult> {
    return this.localOffers.reoffer(hold);
  }

  /** Sends a request without effect inside the dialog; false when the remote party does not know the dialog or does not respond. */
  isAlive(): Promise<boolean> {
    return this.localOffers.isAlive();
  }

  /** Sends a key by INFO; false when the remote party does not allow INFO or does not respond with 2xx. */
  sendDtmfInfo(digit: string): Promise<boolean> {
    return this.dtmfInfo.press(digit);
  }

  /**
   * Without `referredBy`, Referred-By has our address in the dialog.
   * @throws UnsafeSipText when an address cannot be sent, or a header would break out of its line
   */
  refer(referTo: string, options: ReferOptions = {}): Promise<ReferAnswer> {
    return this.referrals.refer(referTo, { referredBy: this.dialog.localAddressOfRecord, ...options });
  }

  /**
   * Sends BYE; the dialog is over on our side whatever the response (RFC 3261 §15.1.1).
   * @throws UnsafeSipText when a header would break out of its line
   */
  bye(headers: Record<string, string> = {}): void {
    if (this.state === 'over') return;
    for (const [name, value] of Object.entries(headers)) headerValue(name, value);
    this.requests.bye((bye) => {
      for (const [name, value] of Object.entries(headers)) bye.headers.push(name.toLowerCase(), value);
    });
    this.end();
  }

  /** Later requests get 481. */
  end(): void {
    this.state = 'over';
    this.dispose();
    this.requests.end();
    this.core.release(this.dialog.callId, this.dialog.localTag, this);
  }

  dispose(): void {
    this.timer.stop();
    this.remoteOffers.stop();
    this.localOffers.end();
  }

  /** The response; undefined when it is sent elsewhere. */
  private answer(request: SipRequest, transaction: ServerTransaction): SipResponse | undefined {
    if (!this.dialog.acceptsCseq(request)) return responseTo(request, 500);
    const refused = refusal(request);
    if (refused) return refused;
    switch (request.method) {
      case 'BYE':
        return this.receiveBye(request);
      case 'INVITE':
      case 'UPDATE':
        return this.remoteOffers.receive(request, transaction, this.state === 'early');
      case 'INFO':
        return this.receiveInfo(request);
      case 'PRACK':
        return this.events.onPrack?.(request) ?? responseTo(request, 481);
      case 'NOTIFY':
        return this.referrals.receiveNotify(request);
      default:
        return capabilities(request);
    }
  }

  private receiveBye(request: SipRequest): SipResponse {
    // RFC 3261 §15: a callee ends an unanswered call with a final response.
    if (this.state === 'early' && this.dialog.ownsCallId) return responseTo(request, 481);
    this.end();
    // The response must be sent before the application closes anything.
    queueMicrotask(() => this.events.onBye(q850Cause(request)));
    return responseTo(request, 200);
  }

  private receiveInfo(request: SipRequest): SipResponse {
    const key = dtmfOfInfo(request);
    if (key) this.events.onDtmf(key.digit, key.durationMs);
    if (key || request.body === '') return responseTo(request, 200);
    const response = responseTo(request, 415);
    response.headers.push('accept', 'application/dtmf-relay, application/dtmf');
    return response;
  }
}

/** Milliseconds. */
export const DEFAULT_DURATION_MS = 160;

/** Content-Type of outgoing INFO keys. */
const DTMF_RELAY = 'application/dtmf-relay';

/** The body of an INFO of that type. */
const dtmfRelayBody = (digit: string, durationMs = DEFAULT_DURATION_MS): string =>
  `Signal=${digit}\r\nDuration=${durationMs}\r\n`;

/** The key of an INFO with application/dtmf-relay (`Signal=5`, `Duration=160`) or application/dtmf (`5`). */
function dtmfOfInfo(request: SipRequest): { digit: string; durationMs: number } | undefined {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  const relay = type === DTMF_RELAY;
  if (!relay && type !== 'application/dtmf') return undefined;
  const text = relay ? /^\s*Signal\s*=\s*(\S+)/im.exec(request.body)?.[1] : request.body.trim();
  // Some gateways send the numbers of RFC 4733 for the two keys that are not digits.
  const key = text === '10' ? '*' : text === '11' ? '#' : text?.toUpperCase();
  if (key === undefined || !/^[0-9*#A-D]$/.test(key)) return undefined;
  const duration = Number(/^\s*Duration\s*=\s*(\d{1,5})/im.exec(request.body)?.[1] ?? DEFAULT_DURATION_MS);
  return { digit: key, durationMs: duration };
}

/** In multiples of T1 (4 s by default), enough for three retransmissions: an IVR that waits for a key gives up soon after. */
const ANSWER_T1S = 8;

/**
 * Sends keys as INFO requests: the `application/dtmf-relay` body that gateways share, outside an Info Package (RFC 6086 §9.3).
 */
class DtmfInfoSender {
  private taken = false;

  constructor(
    private readonly requests: DialogRequests,
    private readonly timers: TimerSettings,
  ) {}

  /** `message`: the remote party's INVITE or 2xx. Without an Allow header its capabilities are unknown (RFC 3261 §20.5). */
  learn(message: SipMessage): void {
    this.taken = message.headers.list('allow').includes('INFO');
  }

  /** False when the remote party does not accept INFO; one refusal or missing response disables INFO for the call. */
  async press(digit: string): Promise<boolean> {
    if (!this.taken) return false;
    const reply = await this.requests.send(
      'INFO',
      (info) => setBody(info, DTMF_RELAY, dtmfRelayBody(digit)),
      ANSWER_T1S * this.timers.t1,
    );
    this.taken = typeof reply !== 'string' && reply.status < 300;
    return this.taken;
  }
}
