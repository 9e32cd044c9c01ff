import { EventEmitter } from 'node:events';
import { parseSdp, SdpProblem, type SdpAudio } from '../sdp.js';
import { Authorizer } from './authorizer.js';
import { Dialog } from './dialog.js';
import { DialogSession } from './dialog-session.js';
import type { TransportName } from './flow.js';
import type { InviteServerTransaction } from './invite-server-transaction.js';
import { setBody, type SipRequest, type SipResponse } from './message.js';
import { parseNameAddr } from './name-addr.js';
import { canonicalName } from './header-names.js';
import { randomTag } from './random-ids.js';
import { ALLOW, responseTo } from './responses.js';
import { parseSipUri } from './sip-uri.js';
import type { UaCore } from './ua-core.js';

export interface IncomingCallEvents {
  /** The caller gave up before the answer; it has its 487. */
  cancelled: [];
  /** The caller's ACK to our 2xx has come. */
  confirmed: [];
  /** The caller changed its side of the audio, or described it in the ACK. */
  media: [audio: SdpAudio];
  /** A key sent by INFO. */
  dtmf: [digit: string, durationMs: number];
  /** An answered call is over; exactly once. `timeout`: our 2xx was never acknowledged. */
  ended: [by: 'remote' | 'local' | 'timeout'];
}

/** Who keeps the list of calls. */
export interface IncomingCallOwner {
  /** It was answered or refused: a second copy of the INVITE is no danger any more. */
  decided(call: IncomingCall): void;
  over(call: IncomingCall): void;
}

/** The called side of one INVITE. What comes too late (an answer after the CANCEL) does nothing. */
export class IncomingCall extends EventEmitter<IncomingCallEvents> {
  /** The user part of the Request-URI, the empty string when it has none. */
  readonly requestUser: string;
  /** URIs of From and To. */
  readonly from: string;
  readonly to: string;
  /** Undefined: no offer (`answer` makes one), see the `media` event. */
  readonly offer: SdpAudio | undefined;
  readonly remote: { address: string; port: number; transport: TransportName };
  private readonly localTag = randomTag();
  private readonly contact: string;
  private state: 'ringing' | 'answered' | 'over' = 'ringing';
  private session?: DialogSession;
  private byeWhenAcked?: { headers?: Record<string, string> };

  constructor(
    private readonly core: UaCore,
    private readonly transaction: InviteServerTransaction,
    offer: SdpAudio | undefined,
    /** The names that the admission knows the caller by; none where everybody may call. */
    readonly callers: readonly string[],
    private readonly owner: IncomingCallOwner,
  ) {
    super();
    const { request, flow } = transaction;
    this.requestUser = decodeUser(parseSipUri(request.uri)?.user ?? '');
    this.from = parseNameAddr(request.headers.get('from')!)?.uri ?? '';
    this.to = parseNameAddr(request.headers.get('to')!)?.uri ?? '';
    this.offer = offer;
    this.remote = { address: flow.address, port: flow.port, transport: flow.transport };
    this.contact = core.contact(flow, parseSipUri(request.uri)?.user ?? '');
    transaction.localTag = this.localTag;
    transaction.onCancel = () => this.cancel();
  }

  get callId(): string {
    return this.transaction.request.headers.get('call-id')!;
  }

  /** The first header of that name in the INVITE. */
  header(name: string): string | undefined {
    return this.transaction.request.headers.get(canonicalName(name));
  }

  /** 180 */
  ring(): void {
    if (this.state === 'ringing') this.transaction.respond(this.response(180));
  }

  /** 183 with a session description: early media, not acknowledged by the far end. */
  progress(sdp: string): void {
    if (this.state !== 'ringing') return;
    const response = this.response(183);
    setBody(response, 'application/sdp', sdp);
    this.transaction.respond(response);
  }

  /** 200 with a session description, repeated until the ACK. */
  answer(sdp: string): void {
    if (this.state !== 'ringing') return;
    this.state = 'answered';
    const { request, flow } = this.transaction;
    const dialog = Dialog.ofRequest(this.core, request, this.localTag, flow);
    const session = new DialogSession(this.core, dialog, this.contact, new Authorizer(), sdp, {
      onBye: () => this.end('remote'),
      onMedia: (audio) => this.emit('media', audio),
      onDtmf: (digit, durationMs) => this.emit('dtmf', digit, durationMs),
      onAck: () => this.acknowledged(),
      onNoAck: () => this.unacknowledged(),
    });
    this.session = session;
    const response = this.response(200);
    setBody(response, 'application/sdp', sdp);
    session.open();
    session.sendOk(this.transaction, response, this.offer === undefined);
    this.owner.decided(this);
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
    this.transaction.respond(response);
    this.owner.decided(this);
    this.owner.over(this);
  }

  /** BYE; when the ACK is still to come, after it (RFC 3261 §15). Before the answer it is a 480. */
  hangup(headers?: Record<string, string>): void {
    if (this.state === 'ringing') return this.reject(480);
    if (this.state === 'over' || !this.session) return;
    if (this.session.awaitsAck) {
      this.byeWhenAcked = headers === undefined ? {} : { headers };
      return;
    }
    this.session.bye(headers);
    this.end('local');
  }

  /**
   * Our endpoint closes and the ACK has not come: BYE without it, as when our 2xx was never acknowledged (§13.3.1.4). Nobody
   * would repeat the 2xx, and the caller would sit there until its media timeout.
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
    if (!this.byeWhenAcked) return void this.emit('confirmed');
    this.session?.bye(this.byeWhenAcked.headers);
    this.end('local');
  }

  private unacknowledged(): void {
    this.session?.bye();
    this.end('timeout');
  }

  private end(by: 'remote' | 'local' | 'timeout'): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.owner.over(this);
    this.emit('ended', by);
  }

  private response(status: number): SipResponse {
    const { request } = this.transaction;
    const response = responseTo(request, status, this.localTag);
    copyRecordRoute(request, response);
    response.headers.push('contact', this.contact).push('allow', ALLOW).push('user-agent', this.core.userAgent);
    return response;
  }
}

/** RFC 3261 §12.1.1: responses that make a dialog return the Record-Route. */
function copyRecordRoute(request: SipRequest, response: SipResponse): void {
  request.headers.copyTo(response.headers, 'record-route');
}

function decodeUser(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    // Not an escape sequence after all: what was dialled is what is written.
    return user;
  }
}

/** The offer of an INVITE: undefined without one, a problem when it cannot be used. */
export function offerOf(invite: SipRequest): SdpAudio | SdpProblem | undefined {
  return invite.body === '' ? undefined : parseSdp(invite.body);
}
