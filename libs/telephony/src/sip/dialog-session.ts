import { buildAnswer, buildOffer, parseSdp, SdpProblem, type LocalAudio, type SdpAudio } from '../sdp.js';
import type { AnsweredChallenges, Authorizer } from './authorizer.js';
import type { Dialog } from './dialog.js';
import { dtmfOfInfo } from './dtmf-info.js';
import { parseCseq, setBody, type SipRequest, type SipResponse } from './message.js';
import { q850Cause } from './reason-header.js';
import { capabilities, refusal, speaksSdp, unsupportedBody } from './request-admission.js';
import { ALLOW, responseTo } from './responses.js';
import { tagOf } from './name-addr.js';
import type { ServerTransaction } from './transaction.js';
import type { InDialog, UaCore } from './ua-core.js';
import { UnackedOk } from './unacked-ok.js';

/** What happens inside an answered call. */
export interface SessionEvents {
  onBye(q850: number | undefined): void;
  /** The far end changed its side: hold, resume, another address or codec. */
  onMedia(audio: SdpAudio): void;
  onDtmf(digit: string, durationMs: number): void;
  onAck(): void;
  /** Our 2xx was never acknowledged: the call has to be hung up. */
  onNoAck(): void;
}

/** An established call, of either direction: requests inside its dialog, and its BYE. */
export class DialogSession implements InDialog {
  private unacked?: { ok: UnackedOk; cseq: number; offered: boolean };
  private ended = false;
  private local?: LocalAudio;

  constructor(
    private readonly core: UaCore,
    readonly dialog: Dialog,
    private readonly contact: string,
    private readonly authorizer: Authorizer,
    /** Our session description of the INVITE or its answer; read when the far end negotiates again, which most never do. */
    private readonly sdp: string,
    private readonly events: SessionEvents,
  ) {}

  /** From now on requests of the dialog come here. Not for the second fork of an INVITE, which is only hung up. */
  open(): void {
    this.core.adopt(this.dialog.callId, this.dialog.localTag, this);
  }

  receive(request: SipRequest, transaction: ServerTransaction): void {
    const response = this.answer(request, transaction);
    if (response) transaction.respond(response);
  }

  receiveAck(ack: SipRequest): void {
    const { unacked } = this;
    if (!unacked || parseCseq(ack.headers.get('cseq'))!.number !== unacked.cseq) return;
    this.unacked = undefined;
    unacked.ok.stop();
    if (unacked.offered && ack.body !== '') this.takeRemote(parseSdp(ack.body));
    this.events.onAck();
  }

  /** Sends a 2xx with our description and repeats it until the ACK. `offered`: the ACK will bring the answer. */
  sendOk(transaction: ServerTransaction, response: SipResponse, offered: boolean): void {
    this.unacked?.ok.stop();
    const send = (): void => transaction.respond(response);
    const ok = new UnackedOk(this.core.layer.timers, send, () => {
      this.unacked = undefined;
      this.events.onNoAck();
    });
    this.unacked = { ok, cseq: parseCseq(transaction.request.headers.get('cseq'))!.number, offered };
  }

  get awaitsAck(): boolean {
    return this.unacked !== undefined;
  }

  /** 200 with Contact, Allow and a session description. */
  okWithSdp(request: SipRequest, sdp: string): SipResponse {
    const response = responseTo(request, 200, this.dialog.localTag);
    response.headers.push('contact', this.contact).push('allow', ALLOW).push('user-agent', this.core.userAgent);
    setBody(response, 'application/sdp', sdp);
    return response;
  }

  /**
   * Sends BYE; the dialog is over for us whatever the far end says (RFC 3261 §15.1.1).
   * @throws UnsafeSipText when a header would break out of its line
   */
  bye(headers: Record<string, string> = {}): void {
    if (this.ended) return;
    this.sendBye(headers, new Set());
    this.end();
  }

  /** Answers nothing any more: 481 from now on. */
  end(): void {
    this.ended = true;
    this.unacked?.ok.stop();
    this.core.release(this.dialog.callId, this.dialog.localTag, this);
  }

  dispose(): void {
    this.unacked?.ok.stop();
  }

  private sendBye(headers: Record<string, string>, answered: AnsweredChallenges): void {
    const bye = this.dialog.request('BYE');
    for (const [name, value] of Object.entries(headers)) bye.headers.add(name.toLowerCase(), value);
    this.authorizer.apply(bye);
    const onResponse = (response: SipResponse): void => {
      const challenged = response.status === 401 || response.status === 407;
      if (challenged && this.authorizer.learn(response, answered)) this.sendBye(headers, answered);
    };
    const onFailure = (failure: string): void => {
      this.core.log.debug('BYE had no answer', { failure, call_id: this.dialog.callId });
    };
    void this.dialog.flow().then((flow) => this.core.layer.request(bye, flow, { onResponse, onFailure }));
  }

  /** The response, or nothing when it is sent elsewhere. */
  private answer(request: SipRequest, transaction: ServerTransaction): SipResponse | undefined {
    if (tagOf(request.headers.get('from')) !== this.dialog.remoteTag) return responseTo(request, 481);
    if (!this.dialog.acceptsCseq(request)) return responseTo(request, 500);
    const refused = refusal(request);
    if (refused) return refused;
    switch (request.method) {
      case 'BYE':
        return this.receiveBye(request);
      case 'INVITE':
      case 'UPDATE':
        return this.receiveOffer(request, transaction);
      case 'INFO':
        return this.receiveInfo(request);
      default:
        return capabilities(request);
    }
  }

  private receiveBye(request: SipRequest): SipResponse {
    this.end();
    // The answer has to leave before the application closes anything.
    queueMicrotask(() => this.events.onBye(q850Cause(request)));
    return responseTo(request, 200);
  }

  private receiveInfo(request: SipRequest): SipResponse {
    const key = dtmfOfInfo(request);
    if (key) this.events.onDtmf(key.digit, key.durationMs);
    return key || request.body === '' ? responseTo(request, 200) : responseTo(request, 415);
  }

  private receiveOffer(request: SipRequest, transaction: ServerTransaction): SipResponse | undefined {
    if (!speaksSdp(request)) return unsupportedBody(request);
    const reply = request.body === '' ? this.offer() : this.answerTo(parseSdp(request.body));
    if (reply === undefined) return responseTo(request, 488);
    this.dialog.refreshTarget(request);
    if (request.method === 'INVITE') {
      this.sendOk(transaction, this.okWithSdp(request, reply), request.body === '');
      return undefined;
    }
    if (request.body !== '') return this.okWithSdp(request, reply);
    // An UPDATE without a description refreshes the target only (RFC 3311 §5.1).
    const response = responseTo(request, 200);
    response.headers.push('contact', this.contact);
    return response;
  }

  private offer(): string | undefined {
    const local = this.nextDescription();
    return local && buildOffer(local);
  }

  private answerTo(offer: SdpAudio | SdpProblem): string | undefined {
    const local = this.nextDescription();
    if (offer instanceof SdpProblem || !local || !this.core.permits(offer.address)) return undefined;
    const answer = buildAnswer(offer, local);
    if (answer !== undefined) this.events.onMedia(offer);
    return answer;
  }

  private takeRemote(answer: SdpAudio | SdpProblem): void {
    if (!(answer instanceof SdpProblem) && this.core.permits(answer.address)) this.events.onMedia(answer);
  }

  /** What we described first, one version on (RFC 3264 §8). */
  private nextDescription(): LocalAudio | undefined {
    const last = this.local ?? described(this.sdp);
    if (!last?.origin) return undefined;
    this.local = { ...last, origin: { id: last.origin.id, version: last.origin.version + 1 } };
    return this.local;
  }
}

/** Ours are always readable; without one there is nothing to negotiate again with. */
function described(sdp: string): LocalAudio | undefined {
  const ours = parseSdp(sdp);
  return ours instanceof SdpProblem ? undefined : { ...ours, codecs: ours.codecs.map((one) => one.codec) };
}
