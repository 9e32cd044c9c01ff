import type { Flow } from '../transport/flow.js';
import type { PeerAddresses } from '../messages/message-source.js';
import { newRequest, parseCseq, serialize, type SipRequest, type SipResponse } from '../messages/message.js';
import {
  type ClientTransaction,
  type ClientTransactions,
  type ClientUser,
  DETACHED_USER,
  Retransmission,
  transactionTimeout,
  type Wire,
} from './transaction.js';

type State = 'calling' | 'proceeding' | 'completed' | 'accepted' | 'terminated';

/** RFC 3261 §17.1.1 with the Accepted state of RFC 6026, which passes retransmitted and forked 2xx on to the user. */
export class InviteClientTransaction implements ClientTransaction {
  private state: State = 'calling';
  private retransmission?: Retransmission;
  private timeout?: NodeJS.Timeout;
  private ack?: { message: SipRequest; data: Buffer };
  /** Until the final response. */
  private request: SipRequest | undefined;
  /** Timer B has fired: the user was told, and later responses are still received for a while. */
  private isLate = false;

  constructor(
    private readonly wire: Wire,
    readonly flow: Flow,
    private user: ClientUser,
    private readonly key: string,
    private readonly owner: ClientTransactions,
    readonly peer?: PeerAddresses,
    /** Timer B, in ms. */
    private readonly timeoutMs = transactionTimeout(wire.timers),
  ) {}

  /** Sends the request; `data` is its wire form. Both are kept for as long as they are needed. */
  start(request: SipRequest, data: Buffer): void {
    const { wire, flow } = this;
    this.request = request;
    const send = (): void => wire.send(flow, request, data, (error) => this.fail('transport', error));
    // Timer A doubles without a cap; Timer B ends it.
    if (!flow.reliable) this.retransmission = new Retransmission(wire.timers.t1, Infinity, send).start();
    this.timeout = setTimeout(() => this.expire(), this.timeoutMs);
    send();
  }

  receive(response: SipResponse): void {
    const { state } = this;
    if (state === 'calling' || state === 'proceeding') {
      if (response.status < 200) this.proceed(response);
      else if (response.status < 300) this.accept(response);
      else this.complete(response);
    } else if (state === 'completed' && response.status >= 300) {
      // The remote party did not receive our ACK.
      this.sendAck();
    } else if (state === 'accepted' && response.status >= 200 && response.status < 300) {
      this.user.onResponse(response);
    }
  }

  connectionLost(error: Error): void {
    // Later responses may come over a connection that the remote party opens (RFC 3261 §18.2.2).
    if (this.state === 'calling' && !this.isLate) this.fail('transport', error);
  }

  stopRepeating(): void {
    this.retransmission?.stop();
    this.retransmission = undefined;
  }

  handOver(user: ClientUser): void {
    this.user = user;
  }

  dispose(): void {
    this.stopTimers();
    if (this.state === 'terminated') return;
    const open = this.state === 'calling' || this.state === 'proceeding';
    this.state = 'terminated';
    if (open) this.noteAnswer();
    this.owner.terminated(this.key);
  }

  private proceed(response: SipResponse): void {
    this.state = 'proceeding';
    if (!this.isLate) this.stopTimers();
    this.user.onResponse(response);
  }

  /**
   * Timer B: no response at all. A 2xx that arrives later must be acknowledged and hung up (RFC 3261 §13.2.2.4), or a phone stays
   * connected to nobody, so the transaction waits for it as long as for the repetition of a response.
   */
  private expire(): void {
    if (this.state !== 'calling' || this.isLate) return;
    this.stopRepeating();
    this.noteAnswer();
    this.isLate = true;
    this.timeout = setTimeout(() => this.dispose(), transactionTimeout(this.wire.timers));
    this.user.onFailure('timeout');
  }

  private noteAnswer(): void {
    if (!this.isLate) this.owner.answered();
  }

  private accept(response: SipResponse): void {
    this.state = 'accepted';
    this.request = undefined;
    this.terminateAfter(transactionTimeout(this.wire.timers));
    this.noteAnswer();
    this.user.onResponse(response);
  }

  private complete(response: SipResponse): void {
    this.state = 'completed';
    this.ack = this.request && ackOfFailure(this.request, response);
    this.request = undefined;
    this.sendAck();
    // Timer D: 32 s with the default T1, none on a reliable transport.
    this.terminateAfter(this.flow.reliable ? 0 : transactionTimeout(this.wire.timers));
    this.noteAnswer();
    this.user.onResponse(response);
  }

  private sendAck(): void {
    // A lost ACK is repeated for the retransmitted final response, so a send error only ends the transaction.
    if (this.ack) this.wire.send(this.flow, this.ack.message, this.ack.data, () => this.dispose());
  }

  private terminateAfter(ms: number): void {
    this.stopTimers();
    this.timeout = setTimeout(() => this.dispose(), ms);
  }

  private fail(failure: 'timeout' | 'transport', error?: Error): void {
    if (this.isLate || (this.state !== 'calling' && this.state !== 'proceeding')) return;
    this.dispose();
    this.user.onFailure(failure, error);
  }

  private stopTimers(): void {
    this.stopRepeating();
    clearTimeout(this.timeout);
  }
}

/** RFC 3261 §17.1.1.3: the ACK of a non-2xx has the branch, Request-URI and Route of the INVITE, and the To of the response. */
function ackOfFailure(invite: SipRequest, response: SipResponse): { message: SipRequest; data: Buffer } {
  const ack = newRequest('ACK', invite.uri);
  const cseq = parseCseq(invite.headers.get('cseq'))!;
  ack.headers.push('via', invite.headers.get('via')!);
  invite.headers.copyTo(ack.headers, 'route');
  ack.headers
    .push('max-forwards', '70')
    .push('from', invite.headers.get('from')!)
    .push('to', response.headers.get('to')!)
    .push('call-id', invite.headers.get('call-id')!)
    .push('cseq', `${cseq.number} ACK`);
  return { message: ack, data: serialize(ack) };
}

/** RFC 3261 §17.1.2: all requests except INVITE and ACK. */
export class NonInviteClientTransaction implements ClientTransaction {
  private state: 'trying' | 'completed' | 'terminated' = 'trying';
  private retransmission?: Retransmission;
  private timeout?: NodeJS.Timeout;

  constructor(
    private readonly wire: Wire,
    readonly flow: Flow,
    private user: ClientUser,
    private readonly key: string,
    private readonly owner: ClientTransactions,
    readonly peer?: PeerAddresses,
  ) {}

  /** Sends the request; `data` is its wire form. Both are kept for as long as the request may be retransmitted. */
  start(request: SipRequest, data: Buffer): void {
    const { wire, flow } = this;
    const send = (): void => wire.send(flow, request, data, (error) => this.fail('transport', error));
    // Timer E: doubles up to T2.
    if (!flow.reliable) this.retransmission = new Retransmission(wire.timers.t1, wire.timers.t2, send).start();
    // Timer F.
    this.timeout = setTimeout(() => this.fail('timeout'), transactionTimeout(wire.timers));
    send();
  }

  receive(response: SipResponse): void {
    if (this.state !== 'trying') return;
    const { user } = this;
    if (response.status < 200) this.retransmission?.slowDown();
    else this.complete();
    user.onResponse(response);
  }

  connectionLost(error: Error): void {
    this.fail('transport', error);
  }

  stopRepeating(): void {
    this.retransmission?.stop();
  }

  handOver(user: ClientUser): void {
    this.user = user;
  }

  dispose(): void {
    this.stopTimers();
    if (this.state === 'terminated') return;
    const open = this.state === 'trying';
    this.state = 'terminated';
    if (open) this.owner.answered();
    this.owner.terminated(this.key);
  }

  private complete(): void {
    this.state = 'completed';
    this.user = DETACHED_USER;
    this.stopTimers();
    // Timer K absorbs retransmitted final responses.
    this.timeout = setTimeout(() => this.dispose(), this.flow.reliable ? 0 : this.wire.timers.t4);
    this.owner.answered();
  }

  private fail(failure: 'timeout' | 'transport', error?: Error): void {
    if (this.state !== 'trying') return;
    this.dispose();
    this.user.onFailure(failure, error);
  }

  private stopTimers(): void {
    this.retransmission?.stop();
    this.retransmission = undefined;
    clearTimeout(this.timeout);
  }
}
