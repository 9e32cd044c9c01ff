import { EventEmitter } from 'node:events';
import { negotiate, parseSdp, SdpProblem, type NegotiatedAudio } from '../sdp.js';
import type { LocalSrtp } from '../media/srtp-keys.js';
import type { Codec } from '../media/media-port.js';
import { Authorizer, type AnsweredChallenges, type Credentials } from './authorizer.js';
import type { CallResult } from './call-result.js';
import { Dialog } from './dialog.js';
import { DialogSession } from './dialog-session.js';
import type { Flow } from './flow.js';
import {
  buildCancel,
  buildInvite,
  checkAddresses,
  type CheckedAddresses,
  type InviteAddresses,
} from './invite-requests.js';
import { parseCseq, type SipRequest, type SipResponse } from './message.js';
import { tagOf } from './name-addr.js';
import { randomBranch, randomTag } from './random-ids.js';
import { q850Cause } from './reason-header.js';
import { BlockedAddress, type HostToReach } from './resolve-target.js';
import { uriHost } from './sip-uri.js';
import { transactionTimeout } from './timer-settings.js';
import type { ClientTransaction } from './transaction.js';
import type { UaCore } from './ua-core.js';

export interface OutgoingInvite extends InviteAddresses {
  /** Where the INVITE is sent: the host of the Request-URI, or a trunk's targets in the order to try. At least one. */
  nextHops: HostToReach[];
  credentials?: Credentials;
  /** The offer; `localAddress` is the one that the far end reaches us at. */
  offer: (localAddress: string) => string;
  /** What the offer holds. */
  codecs: Codec[];
  srtp?: LocalSrtp;
  /** Counted from the first INVITE. Milliseconds. */
  ringTimeoutMs: number;
}

export interface OutgoingCallEvents {
  /** The INVITE has been handed to the network; once. */
  trying: [];
  /** The first 180, 181, 182, 183 or the like. */
  ringing: [status: number];
  /** The far end described its audio before the answer; once. */
  early: [audio: NegotiatedAudio];
  answered: [audio: NegotiatedAudio];
  /** The far end changed its side of the audio: hold, resume, another address. */
  media: [audio: NegotiatedAudio];
  dtmf: [digit: string, durationMs: number];
  /** Exactly once, and the last event. */
  ended: [result: CallResult];
}

type GivingUp = 'cancelled' | 'no-answer';

/** The calling side of one INVITE. After the constructor, which checks the texts, nothing throws: the outcome is the `ended` event. */
export class OutgoingCall extends EventEmitter<OutgoingCallEvents> {
  readonly callId: string;
  private readonly localTag = randomTag();
  private readonly authorizer: Authorizer;
  private readonly addresses: CheckedAddresses;
  private readonly challengesAnswered: AnsweredChallenges = new Set();
  private cseq = 0;
  private branch = '';
  private invite?: SipRequest;
  private flow?: Flow;
  private transaction?: ClientTransaction;
  private session?: DialogSession;
  private acks = new Map<string, () => void>();
  private provisional = false;
  private cancelSent = false;
  private announced = { trying: false, ringing: false, early: false };
  private earlyAudio?: NegotiatedAudio;
  private givingUp?: GivingUp;
  private finished = false;
  private ringTimer?: NodeJS.Timeout;
  private cancelTimer?: NodeJS.Timeout;
  private offer = '';

  /** @throws UnsafeSipText when an address, header or credential would break out of its place */
  constructor(
    private readonly core: UaCore,
    private readonly options: OutgoingInvite,
  ) {
    super();
    this.addresses = checkAddresses(options);
    this.callId = randomTag() + randomTag();
    this.authorizer = new Authorizer(options.credentials);
    void this.start();
  }

  get answered(): boolean {
    return this.session !== undefined;
  }

  /**
   * CANCEL before the answer, BYE after it; `headers` go into the BYE. The call may end at once or when the far end
   * has agreed; either way by one `ended`.
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

  /** Ends the call on our side without waiting for the far end any longer: the endpoint closes. */
  abandon(): void {
    this.transaction?.dispose();
    this.finish({ kind: this.givingUp ?? 'cancelled' });
  }

  private async start(): Promise<void> {
    try {
      this.flow = await this.connectAny();
    } catch (error) {
      this.core.log.debug('SIP destination cannot be reached', {
        problem: (error as Error).name,
        call_id: this.callId,
      });
      return this.finish({ kind: error instanceof BlockedAddress ? 'blocked' : 'unreachable' });
    }
    if (this.finished) return;
    this.offer = this.options.offer(this.flow.localAddress);
    this.ringTimer = setTimeout(() => this.ringTimeout(), this.options.ringTimeoutMs);
    this.sendInvite(this.flow);
  }

  /** @throws what the last hop failed with */
  private async connectAny(): Promise<Flow> {
    let failure: unknown = new Error('no hop to send the INVITE to');
    for (const hop of this.options.nextHops) {
      try {
        return await this.core.connect(hop);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  private sendInvite(flow: Flow): void {
    this.cseq++;
    this.branch = randomBranch();
    this.provisional = false;
    const ids = { callId: this.callId, localTag: this.localTag, cseq: this.cseq };
    const local = { host: uriHost(flow.localAddress), contact: this.core.contact(flow, this.addresses.fromUser) };
    const invite = buildInvite(this.addresses, ids, local, this.offer, this.core.userAgent);
    this.authorizer.apply(invite);
    this.invite = invite;
    if (!this.announced.trying) {
      this.announced.trying = true;
      this.emit('trying');
    }
    const user = {
      onResponse: (response: SipResponse) => this.receive(response, invite, flow),
      onFailure: (failure: 'timeout' | 'transport') =>
        this.finish(
          this.givingUp ? { kind: this.givingUp } : { kind: failure === 'timeout' ? 'silent' : 'unreachable' },
        ),
    };
    this.transaction = this.core.layer.request(invite, flow, user, this.branch);
  }

  private receive(response: SipResponse, invite: SipRequest, flow: Flow): void {
    if (response.status < 200) this.receiveProvisional(response, flow);
    else if (response.status < 300) this.receiveSuccess(response, invite, flow);
    else this.receiveFailure(response, flow);
  }

  private receiveProvisional(response: SipResponse, flow: Flow): void {
    this.provisional = true;
    if (this.givingUp) return this.sendCancel(flow);
    if (response.status === 100) return;
    if (!this.announced.ringing) {
      this.announced.ringing = true;
      this.emit('ringing', response.status);
    }
    if (this.announced.early) return;
    this.earlyAudio = this.audioOf(response);
    if (!this.earlyAudio || this.finished) return;
    this.announced.early = true;
    this.emit('early', this.earlyAudio);
  }

  private receiveSuccess(response: SipResponse, invite: SipRequest, flow: Flow): void {
    const remoteTag = tagOf(response.headers.get('to')) ?? '';
    const again = this.acks.get(remoteTag);
    if (again) return again();
    const dialog = Dialog.ofResponse(this.core, invite, response, flow);
    this.acknowledge(dialog, invite, remoteTag);
    const session = this.openSession(dialog, flow);
    // A second fork, or an answer that crossed our CANCEL or our leaving: the far end must not be left off the hook.
    if (this.session || this.givingUp || this.finished) {
      session.bye();
      if (this.givingUp) this.finish({ kind: this.givingUp });
      return;
    }
    // Some carriers describe the audio in the 183 and not again (RFC 3261 §13.2.1 wants it in the 2xx).
    const audio = response.body === '' ? this.earlyAudio : this.audioOf(response);
    if (!audio) {
      session.bye();
      return this.finish({ kind: 'no-media' });
    }
    clearTimeout(this.ringTimer);
    session.open();
    this.session = session;
    this.emit('answered', audio);
  }

  private receiveFailure(response: SipResponse, flow: Flow): void {
    const { status, reason } = response;
    const challenged = status === 401 || status === 407;
    if (challenged && !this.givingUp && this.authorizer.learn(response, this.challengesAnswered))
      return this.sendInvite(flow);
    // 487 is the answer to our CANCEL; another final that crossed the end of the ringing says more about the callee.
    if (this.givingUp === 'cancelled' || (this.givingUp && status === 487)) return this.finish({ kind: this.givingUp });
    const q850 = q850Cause(response);
    this.finish({ kind: 'rejected', status, reason, ...(q850 === undefined ? {} : { q850 }) });
  }

  /** ACKs a 2xx now and each time it comes again (RFC 3261 §13.2.2.4). */
  private acknowledge(dialog: Dialog, invite: SipRequest, remoteTag: string): void {
    const ack = dialog.ack(parseCseq(invite.headers.get('cseq'))!.number);
    // §22.1: the ACK carries the credentials of its INVITE.
    invite.headers.copyTo(ack.headers, 'authorization');
    invite.headers.copyTo(ack.headers, 'proxy-authorization');
    const failed = (error: Error): void => {
      this.core.log.debug('ACK could not be sent', { problem: error.message, call_id: this.callId });
    };
    const send = (): void => void dialog.flow().then((flow) => this.core.layer.ack(ack, flow, failed));
    this.acks.set(remoteTag, send);
    send();
  }

  private openSession(dialog: Dialog, flow: Flow): DialogSession {
    const contact = this.core.contact(flow, this.addresses.fromUser);
    return new DialogSession(this.core, dialog, contact, this.authorizer, this.offer, {
      onBye: (q850) => this.finish({ kind: 'bye', by: 'remote', ...(q850 === undefined ? {} : { q850 }) }),
      onMedia: (theirs) => {
        const audio = negotiate(this.options, theirs);
        if (audio) this.emit('media', audio);
      },
      onDtmf: (digit, durationMs) => this.emit('dtmf', digit, durationMs),
      onAck: () => undefined,
      onNoAck: () => this.hangup(),
    });
  }

  private audioOf(response: SipResponse): NegotiatedAudio | undefined {
    if (response.body === '') return undefined;
    const theirs = parseSdp(response.body);
    if (theirs instanceof SdpProblem || !this.core.permits(theirs.address)) return undefined;
    return negotiate(this.options, theirs);
  }

  private ringTimeout(): void {
    // A far end that never said anything does not ring: that is a dead carrier, not an absent callee.
    if (this.provisional) this.giveUp('no-answer');
    else this.giveUp('no-answer', { kind: 'silent' });
  }

  private giveUp(why: GivingUp, result: CallResult = { kind: why }): void {
    if (this.givingUp) return;
    this.givingUp = why;
    // RFC 3261 §9.1: no CANCEL before a provisional. The transaction stays and sends it, or ACK and BYE, when one comes.
    if (this.provisional && this.flow) this.sendCancel(this.flow);
    else this.finish(result);
  }

  private sendCancel(flow: Flow): void {
    if (this.cancelSent || !this.invite) return;
    this.cancelSent = true;
    const nothing = (): void => undefined;
    this.core.layer.request(buildCancel(this.invite), flow, { onResponse: nothing, onFailure: nothing }, this.branch);
    // §9.1: without a final response the INVITE counts as cancelled after 64 x T1.
    this.cancelTimer = setTimeout(() => this.abandon(), transactionTimeout(this.core.layer.timers));
  }

  /** The one way out. */
  private finish(result: CallResult): void {
    clearTimeout(this.ringTimer);
    clearTimeout(this.cancelTimer);
    if (this.finished) return;
    this.finished = true;
    this.emit('ended', result);
  }
}
