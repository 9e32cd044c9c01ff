import type { Flow } from '../transport/flow.js';
import { serialize, type SipRequest, type SipResponse } from '../messages/message.js';
import { responseTo } from '../messages/responses.js';
import { Retransmission, type ServerTransaction, transactionTimeout, type Wire } from './transaction.js';

const SEND_TRYING_AFTER_MS = 200;

/** RFC 3261 §17.2.1 with the Accepted state of RFC 6026. The transaction user repeats its 2xx until the ACK (§13.3.1.4). */
export class InviteServerTransaction implements ServerTransaction {
  private state: 'proceeding' | 'completed' | 'confirmed' | 'accepted' | 'terminated' = 'proceeding';
  private last?: { response: SipResponse; data: Buffer };
  private retransmission?: Retransmission;
  private timer?: NodeJS.Timeout;
  /** A CANCEL for this INVITE has arrived before a final response. */
  onCancel?: () => void;
  /** The To tag of our responses, for the response to a CANCEL (RFC 3261 §9.2). */
  localTag?: string;

  constructor(
    private readonly wire: Wire,
    readonly request: SipRequest,
    readonly flow: Flow,
    private readonly onTerminated: () => void,
  ) {}

  /** Sends 100 unless another response is sent within 200 ms (§17.2.1). */
  start(): void {
    this.timer = setTimeout(() => this.respond(responseTo(this.request, 100)), SEND_TRYING_AFTER_MS);
  }

  respond(response: SipResponse): void {
    if (this.state !== 'proceeding' && !(this.state === 'accepted' && isSuccess(response))) return;
    clearTimeout(this.timer);
    this.last = { response, data: serialize(response) };
    this.sendLast();
    if (response.status < 200) return;
    if (isSuccess(response)) this.accept();
    else this.complete();
  }

  receive(request: SipRequest): void {
    if (request.method === 'ACK') this.confirm();
    else if (this.state === 'proceeding' || this.state === 'completed') this.sendLast();
  }

  cancel(): void {
    if (this.state === 'proceeding') this.onCancel?.();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.retransmission?.stop();
    if (this.state === 'terminated') return;
    this.state = 'terminated';
    this.onTerminated();
  }

  private accept(): void {
    this.state = 'accepted';
    // Timer L; a repeated 2xx does not prolong it.
    this.timer = setTimeout(() => this.dispose(), transactionTimeout(this.wire.timers));
  }

  private complete(): void {
    this.state = 'completed';
    const { t1, t2 } = this.wire.timers;
    // Timer G.
    if (!this.flow.reliable) this.retransmission = new Retransmission(t1, t2, () => this.sendLast()).start();
    // Timer H: no ACK.
    this.timer = setTimeout(() => this.dispose(), transactionTimeout(this.wire.timers));
  }

  private confirm(): void {
    if (this.state !== 'completed') return;
    this.state = 'confirmed';
    this.retransmission?.stop();
    clearTimeout(this.timer);
    // Timer I absorbs further ACKs.
    this.timer = setTimeout(() => this.dispose(), this.flow.reliable ? 0 : this.wire.timers.t4);
  }

  private sendLast(): void {
    if (this.last) this.wire.sendResponse(this.flow, this.last.response, this.last.data, () => this.dispose());
  }
}

function isSuccess(response: SipResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

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
    // Timer J: a retransmitted request gets the same response.
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
