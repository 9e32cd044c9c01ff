import { EventEmitter } from 'node:events';
import { randomTag } from '../../random-ids.js';
import type { SdpAudio } from '../../sdp-parse.js';
import type { LocalTerms } from '../../sdp.js';
import { Authorizer } from '../messages/digest.js';
import { DialogSession } from '../dialogs/dialog-session.js';
import { Dialog } from '../dialogs/dialog.js';
import type { TransportName } from '../transport/flow.js';
import { canonicalName, isUser, userPart } from '../messages/headers.js';
import type { ReofferResult } from '../dialogs/local-offers.js';
import { MediaWarning, notAcceptable } from '../dialogs/offer-answer.js';
import { CallPeer } from '../messages/message-source.js';
import { sessionDescription } from '../messages/message-body.js';
import { parseCseq, setBody, type SipRequest, type SipResponse } from '../messages/message.js';
import type { ReferAnswer, ReferOptions, TransferProgress } from '../dialogs/referral.js';
import { ReliableProvisionalSender } from '../dialogs/provisional-responses.js';
import { ALLOW, responseTo, SUPPORTED, unsupportedBody } from '../messages/responses.js';
import type { InviteServerTransaction } from '../transactions/server-transactions.js';
import { minSe, termsOfAnswer, writeTerms } from '../dialogs/session-timer.js';
import { parseNameAddr, parseSipUri, userOfUri } from '../messages/sip-address.js';
import type { UaCore } from './ua-core.js';

interface IncomingCallEvents {
  /** The caller gave up before the answer, or did not acknowledge a reliable response; the INVITE was answered with 487 or 504. */
  cancelled: [];
  /** The caller has acknowledged our 2xx. */
  confirmed: [];
  /** The caller changed its audio, or described it in the ACK. */
  media: [audio: SdpAudio];
  /** A key sent by INFO. */
  dtmf: [digit: string, durationMs: number];
  /** Progress of the call that the caller places after `refer`. */
  transfer: [progress: TransferProgress];
  /**
   * An answered call has ended; emitted exactly once. `timeout`: our 2xx was never acknowledged; `expired`: the caller did not refresh the
   * session in time (RFC 4028).
   */
  ended: [by: 'remote' | 'local' | 'timeout' | 'expired'];
}

/** The list of inbound calls. */
interface IncomingCallRegistry {
  /** The INVITE was answered or refused: merged requests need no more check. */
  answeredOrRefused(): void;
  over(): void;
}

/** The called side of one INVITE. Late calls (an answer after the CANCEL) have no effect. */
export class IncomingCall extends EventEmitter<IncomingCallEvents> {
  /** The number or name in the Request-URI, the empty string when it has none. */
  readonly requestUser: string;
  /** URIs of From and To. */
  readonly from: string;
  readonly to: string;
  /** Undefined: no offer (`answer` makes one), see the `media` event. */
  readonly offer: SdpAudio | undefined;
  readonly remote: { address: string; port: number; transport: TransportName };
  /** The local address for the caller. */
  readonly localAddress: string;
  private readonly localTag = randomTag();
  private readonly contact: string;
  private state: 'ringing' | 'answered' | 'over' = 'ringing';
  private session?: DialogSession;
  private reliable?: ReliableProvisionalSender;
  /** Our description, once it was sent reliably. */
  private described?: string;
  private answering = false;
  private confirmed = false;
  private byeWhenAcked?: { headers?: Record<string, string> };

  constructor(
    private readonly core: UaCore,
    private readonly transaction: InviteServerTransaction,
    offer: SdpAudio | undefined,
    private possibleCallers: readonly string[],
    private readonly registry: IncomingCallRegistry,
  ) {
    super();
    const { request, flow } = transaction;
    this.requestUser = userOfUri(request.uri);
    this.from = parseNameAddr(request.headers.get('from')!)?.uri ?? '';
    this.to = parseNameAddr(request.headers.get('to')!)?.uri ?? '';
    this.offer = offer;
    this.remote = { address: flow.address, port: flow.port, transport: flow.transport };
    this.localAddress = flow.localAddress;
    const uri = parseSipUri(request.uri);
    const user = uri ? uri.user?.split(';', 1)[0] : this.requestUser;
    this.contact = core.contact(flow, user && isUser(user) ? userPart('contact', user) : '', uri?.scheme);
    transaction.localTag = this.localTag;
    transaction.onCancel = () => this.cancel();
  }

  /** Neither answered nor refused, and the caller has not given up. */
  get undecided(): boolean {
    return this.state === 'ringing';
  }

  /** The caller names by admission: several when trunks share an address, until `identify`. None without admission. */
  get callers(): readonly string[] {
    return this.possibleCallers;
  }

  /**
   * Names the caller among `callers`, before the first response. The others have no part in the call: their addresses and passwords
   * are not accepted in its dialog.
   */
  identify(name: string): void {
    this.possibleCallers = this.possibleCallers.filter((one) => one === name);
  }

  get callId(): string {
    return this.transaction.request.headers.get('call-id')!;
  }

  /** Checks by a request whether the answered call still exists at the caller: false on 481, 408, silence, and after the end. */
  async isAlive(): Promise<boolean> {
    return this.session && this.state === 'answered' ? this.session.isAlive() : false;
  }

  /** Sends a key by INFO; false when the caller does not allow INFO, refuses it or does not respond, and after the end. */
  async sendDtmfInfo(digit: string): Promise<boolean> {
    return this.session && this.state === 'answered' ? this.session.sendDtmfInfo(digit) : false;
  }

  /** The first header of that name in the INVITE. */
  header(name: string): string | undefined {
    return this.transaction.request.headers.get(canonicalName(name));
  }

  /** Every element of that header in the INVITE, of several lines and comma lists. */
  headerList(name: string): string[] {
    return this.transaction.request.headers.list(canonicalName(name));
  }

  /** 180 */
  ring(): void {
    this.provisional(180);
  }

  /**
   * 183 with a session description: early media. The description is the answer, or the offer, when the caller requires reliable
   * responses.
   */
  progress(sdp: string): void {
    this.provisional(183, sdp);
  }

  /**
   * 200 with a session description, repeated until the ACK. After a reliably sent description it waits for the PRACK and has no
   * description (RFC 3262 §5). `terms`: the capabilities for later negotiations; those of `sdp` when absent.
   */
  answer(sdp: string, terms?: LocalTerms): void {
    if (this.state !== 'ringing' || this.answering) return;
    this.answering = true;
    const session = this.dialogSession();
    session.offers.describe(this.described ?? sdp, terms);
    if (this.offer) session.offers.agree(this.offer);
    if (this.reliable) this.reliable.afterDescriptions(() => this.sendAnswer(session, sdp));
    else this.sendAnswer(session, sdp);
  }

  /** Puts the caller on hold or resumes, by a re-INVITE. Not accepted before the answer and after the end. */
  async hold(on: boolean): Promise<ReofferResult> {
    return this.session && this.state === 'answered' ? this.session.reoffer(on) : { accepted: false };
  }

  /**
   * Asks the caller to call `referTo`, a SIP URI, instead of us (RFC 3515); `transfer` events report its progress.
   * @throws UnsafeSipText
   */
  async refer(referTo: string, options: ReferOptions = {}): Promise<ReferAnswer> {
    const answered = this.session && this.state === 'answered';
    return answered ? this.session!.refer(referTo, options) : { accepted: false };
  }

  /**
   * A final response of 300 to 699.
   * @throws UnsafeSipText when a header would break out of its line
   */
  reject(status: number, reason?: string, headers: Record<string, string> = {}): void {
    if (this.state !== 'ringing') return;
    const response = responseTo(this.transaction.request, status, this.localTag, reason);
    for (const [name, value] of Object.entries(headers)) response.headers.add(name.toLowerCase(), value);
    this.state = 'over';
    this.reliable?.stop();
    this.session?.end();
    this.transaction.respond(response);
    this.registry.answeredOrRefused();
    this.registry.over();
  }

  /** Sends BYE, after a missing ACK has arrived (RFC 3261 §15); before the answer 480. */
  hangup(headers?: Record<string, string>): void {
    if (this.state === 'ringing') return this.reject(480);
    if (this.state === 'over' || !this.session) return;
    if (this.session.remoteOffers.awaitsAck) {
      this.byeWhenAcked = headers === undefined ? {} : { headers };
      return;
    }
    this.session.bye(headers);
    this.end('local');
  }

  /**
   * The endpoint closes before the ACK has arrived: sends BYE without it, as for a 2xx that was never acknowledged (§13.3.1.4).
   * Otherwise the caller would wait until its media time-out.
   */
  abandon(): void {
    if (this.state !== 'answered') return;
    this.session?.bye(this.byeWhenAcked?.headers);
    this.end('local');
  }

  private cancel(): void {
    if (this.state !== 'ringing') return;
    this.reject(487);
    this.emit('cancelled');
  }

  private acknowledged(): void {
    if (this.state !== 'answered') return;
    if (!this.byeWhenAcked) return this.confirm();
    this.session?.bye(this.byeWhenAcked.headers);
    this.end('local');
  }

  /** Once: the ACKs of later re-INVITEs arrive here as well. */
  private confirm(): void {
    if (this.confirmed) return;
    this.confirmed = true;
    this.emit('confirmed');
  }

  private hangUpAs(by: 'timeout' | 'expired'): void {
    this.session?.bye();
    this.end(by);
  }

  private provisional(status: number, sdp?: string): void {
    if (this.state !== 'ringing' || this.answering) return;
    const session = this.dialogSession();
    const response = this.response(status);
    if (sdp !== undefined && this.described === undefined) setBody(response, 'application/sdp', sdp);
    if (!requires100rel(this.transaction.request)) return this.transaction.respond(response);
    if (sdp !== undefined && this.described === undefined) {
      this.described = sdp;
      session.offers.describe(sdp);
      session.offers.open = this.offer ? undefined : 'ours';
    }
    this.reliable ??= this.reliableResponses();
    this.reliable.respond(response);
  }

  private reliableResponses(): ReliableProvisionalSender {
    const { request } = this.transaction;
    const cseq = parseCseq(request.headers.get('cseq'))!.number;
    const send = (response: SipResponse): void => this.transaction.respond(response);
    return new ReliableProvisionalSender(this.core.layer.timers, cseq, send, () => this.giveUpUnacknowledged());
  }

  /** RFC 3262 §3: the caller does not acknowledge reliable responses. */
  private giveUpUnacknowledged(): void {
    this.reject(504);
    this.emit('cancelled');
  }

  private receivePrack(prack: SipRequest): SipResponse {
    const { remoteOffers, offers } = this.session!;
    const acknowledged = this.reliable?.acknowledgedBy(prack);
    if (!acknowledged) return responseTo(prack, 481);
    const description = sessionDescription(prack);
    if (description === undefined) return unsupportedBody(prack);
    if (description === '') return responseTo(prack, 200);
    if (offers.open === 'ours') {
      remoteOffers.take(description);
      return responseTo(prack, 200);
    }
    // §5: a PRACK may contain the next offer.
    const answer = remoteOffers.answer(description);
    if (answer instanceof MediaWarning) return notAcceptable(prack, this.localAddress, answer);
    const response = responseTo(prack, 200);
    setBody(response, 'application/sdp', answer);
    return response;
  }

  /** The dialog exists from the first response with our tag, so that PRACK, UPDATE and BYE find it before the answer. */
  private dialogSession(): DialogSession {
    if (this.session) return this.session;
    const { request, flow } = this.transaction;
    const dialog = Dialog.ofRequest(this.core, request, this.localTag, flow, new CallPeer(this.core, this.callers));
    const open = this.offer ? 'theirs' : undefined;
    const timing = { minSeS: minSe(request) ?? 0 };
    const start = { dialog, contact: this.contact, authorizer: new Authorizer(), sdp: '', open, ...timing } as const;
    this.session = new DialogSession(this.core, start, {
      onBye: () => this.receiveBye(),
      onMedia: (audio) => this.emit('media', audio),
      onDtmf: (digit, durationMs) => this.emit('dtmf', digit, durationMs),
      onAck: () => this.acknowledged(),
      onNoAck: () => this.hangUpAs('timeout'),
      onExpired: () => this.hangUpAs('expired'),
      onTransfer: (progress) => this.emit('transfer', progress),
      onPrack: (prack) => this.receivePrack(prack),
    });
    this.session.open();
    return this.session;
  }

  private sendAnswer(session: DialogSession, sdp: string): void {
    // Cancelled while it waited for a PRACK.
    if (this.state !== 'ringing') return;
    this.state = 'answered';
    this.reliable?.stop();
    const { request } = this.transaction;
    const response = this.response(200);
    const terms = termsOfAnswer(request, this.core.sessionTimer);
    writeTerms(response, terms);
    if (this.described === undefined) {
      setBody(response, 'application/sdp', sdp);
      session.offers.open = this.offer ? undefined : 'ours';
    }
    session.confirm(request, terms);
    session.remoteOffers.sendOk(this.transaction, response);
    this.registry.answeredOrRefused();
  }

  /** RFC 3261 §15.1.2: a caller may leave an early dialog by BYE; its INVITE still needs a final response. */
  private receiveBye(): void {
    if (this.state === 'ringing') this.cancel();
    else this.end('remote');
  }

  private end(by: 'remote' | 'local' | 'timeout' | 'expired'): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.registry.over();
    this.emit('ended', by);
  }

  private response(status: number): SipResponse {
    const { request } = this.transaction;
    const response = responseTo(request, status, this.localTag);
    copyRecordRoute(request, response);
    response.headers.push('contact', this.contact).push('allow', ALLOW).push('supported', SUPPORTED.join(', '));
    response.headers.push('user-agent', this.core.userAgent);
    return response;
  }
}

/** RFC 3261 §12.1.1: responses that create a dialog return the Record-Route. */
function copyRecordRoute(request: SipRequest, response: SipResponse): void {
  request.headers.copyTo(response.headers, 'record-route');
}

function requires100rel(invite: SipRequest): boolean {
  return invite.headers.list('require').some((tag) => tag.toLowerCase() === '100rel');
}
