import type { Flow } from './flow.js';
import type { SipRequest, SipResponse } from './message.js';
import { transactionTimeout } from './timer-settings.js';
import {
  NOBODY,
  Retransmission,
  type ClientTransaction,
  type ClientUser,
  type Outgoing,
  type Wire,
} from './transaction.js';

/** RFC 3261 §17.1.2: CANCEL, BYE, OPTIONS and the rest. */
export class NonInviteClientTransaction implements ClientTransaction {
  private state: 'trying' | 'completed' | 'terminated' = 'trying';
  readonly request: SipRequest;
  readonly flow: Flow;
  private retransmission?: Retransmission;
  private timeout: NodeJS.Timeout;

  constructor(
    private readonly wire: Wire,
    { request, data, flow }: Outgoing,
    private user: ClientUser,
    private readonly onAnswered: () => void,
    private readonly onTerminated: () => void,
  ) {
    this.request = request;
    this.flow = flow;
    const send = (): void => wire.send(flow, request, data, (error) => this.fail('transport', error));
    // Timer E: doubles up to T2.
    if (!flow.reliable) this.retransmission = new Retransmission(wire.timers.t1, wire.timers.t2, send);
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

  dispose(): void {
    this.stopTimers();
    if (this.state === 'terminated') return;
    const open = this.state === 'trying';
    this.state = 'terminated';
    if (open) this.onAnswered();
    this.onTerminated();
  }

  private complete(): void {
    this.state = 'completed';
    this.user = NOBODY;
    this.stopTimers();
    // Timer K soaks up retransmitted finals.
    this.timeout = setTimeout(() => this.dispose(), this.flow.reliable ? 0 : this.wire.timers.t4);
    this.onAnswered();
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
