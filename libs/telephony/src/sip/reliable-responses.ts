import { randomInt } from 'node:crypto';
import type { SipRequest, SipResponse } from './message.js';
import { transactionTimeout, type TimerSettings } from './timer-settings.js';
import { Retransmission } from './transaction.js';

const MAX_WAITING = 10;

interface Unacknowledged {
  rseq: number;
  response: SipResponse;
  retransmission: Retransmission;
  timeout: NodeJS.Timeout;
}

/**
 * The callee's side of reliable provisional responses (RFC 3262 §3): numbered, one at a time, repeated until their PRACK. Nobody
 * sends PRACK for 64 x T1: the INVITE is given up.
 */
export class ReliableResponses {
  private rseq = randomInt(1, 2 ** 16);
  private unacknowledged?: Unacknowledged;
  private readonly queue: SipResponse[] = [];
  private whenAcknowledged: (() => void)[] = [];

  constructor(
    private readonly timers: TimerSettings,
    private readonly inviteCseq: number,
    private readonly send: (response: SipResponse) => void,
    private readonly giveUp: () => void,
  ) {}

  /** Adds Require and RSeq. Waits its turn while one before it is not acknowledged (§3). */
  respond(response: SipResponse): void {
    // More than a far end that acknowledges nothing could ever want to hear.
    if (this.queue.length >= MAX_WAITING) return;
    this.queue.push(response);
    this.sendNext();
  }

  /** The response that this PRACK acknowledges, or undefined: it gets 481. */
  acknowledgedBy(prack: SipRequest): SipResponse | undefined {
    const [rseq, cseq, method] = prack.headers.get('rack')?.trim().split(/\s+/) ?? [];
    const one = this.unacknowledged;
    if (!one || Number(rseq) !== one.rseq || Number(cseq) !== this.inviteCseq || method !== 'INVITE') return undefined;
    this.rest();
    this.unacknowledged = undefined;
    this.sendNext();
    if (!this.unacknowledged) for (const go of this.whenAcknowledged.splice(0)) queueMicrotask(go);
    return one.response;
  }

  /** A 2xx must not overtake a description that is not acknowledged yet (§3). */
  afterDescriptions(go: () => void): void {
    const waiting = [this.unacknowledged?.response, ...this.queue].some((one) => one !== undefined && one.body !== '');
    if (waiting) this.whenAcknowledged.push(go);
    else go();
  }

  /** After the final response. A PRACK that is still on its way is answered all the same. */
  stop(): void {
    this.rest();
    this.queue.length = 0;
    this.whenAcknowledged = [];
  }

  private sendNext(): void {
    const response = this.unacknowledged ? undefined : this.queue.shift();
    if (!response) return;
    const rseq = this.rseq++;
    response.headers.push('require', '100rel').push('rseq', String(rseq));
    const send = (): void => this.send(response);
    const timeout = setTimeout(() => {
      this.stop();
      this.giveUp();
    }, transactionTimeout(this.timers));
    this.unacknowledged = {
      rseq,
      response,
      retransmission: new Retransmission(this.timers.t1, Infinity, send),
      timeout,
    };
    send();
  }

  private rest(): void {
    this.unacknowledged?.retransmission.stop();
    clearTimeout(this.unacknowledged?.timeout);
  }
}
