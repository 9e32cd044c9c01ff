import type { Flow } from './flow.js';
import { serialize, type SipRequest, type SipResponse } from './message.js';
import { transactionTimeout } from './timer-settings.js';
import type { ServerTransaction, Wire } from './transaction.js';

/** RFC 3261 §17.2.2. */
export class NonInviteServerTransaction implements ServerTransaction {
  private state: 'trying' | 'completed' | 'terminated' = 'trying';
  private last?: { response: SipResponse; data: Buffer };
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly wire: Wire,
    readonly request: SipRequest,
    readonly flow: Flow,
    private readonly onTerminated: () => void,
  ) {}

  respond(response: SipResponse): void {
    if (this.state !== 'trying') return;
    this.last = { response, data: serialize(response) };
    this.sendLast();
    if (response.status < 200) return;
    this.state = 'completed';
    // Timer J: a retransmitted request gets the same answer.
    this.timer = setTimeout(() => this.dispose(), this.flow.reliable ? 0 : transactionTimeout(this.wire.timers));
  }

  receive(): void {
    this.sendLast();
  }

  dispose(): void {
    clearTimeout(this.timer);
    if (this.state === 'terminated') return;
    this.state = 'terminated';
    this.onTerminated();
  }

  private sendLast(): void {
    if (this.last) this.wire.sendResponse(this.flow, this.last.response, this.last.data, () => this.dispose());
  }
}
