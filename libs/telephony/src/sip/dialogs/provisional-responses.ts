import { randomInt } from 'node:crypto';
import type { DialogRequests } from './dialog-requests.js';
import type { Dialog } from './dialog.js';
import type { DialogSession } from './dialog-session.js';
import type { SipRequest, SipResponse } from '../messages/message.js';
import { responseTo } from '../messages/responses.js';
import { tagOf } from '../messages/sip-address.js';
import {
  Retransmission,
  type ServerTransaction,
  type TimerSettings,
  transactionTimeout,
} from '../transactions/transaction.js';
import type { DialogHandler, UaCore } from '../user-agent/ua-core.js';

/** The treatment of a provisional response (RFC 3262 §4). `early`: its predecessor is missing, and it will be repeated. */
type Reliability = 'unreliable' | 'new' | 'repeated' | 'early';

/** UAC side of reliable provisional responses in one early dialog: their order, and a PRACK for each. */
class ReliableProvisionalReceiver {
  private last?: number;
  /** PRACKs that failed; most calls have none. */
  private unconfirmed: Set<number> | undefined;

  constructor(
    private readonly requests: DialogRequests,
    private readonly inviteCseq: number,
  ) {}

  /** Sends PRACK for reliable responses. */
  receive(response: SipResponse): Reliability {
    const rseq = rseqOf(response);
    if (rseq === undefined) return 'unreliable';
    if (this.last !== undefined && rseq > this.last + 1) return 'early';
    if (this.last !== undefined && rseq <= this.last) {
      // The transaction of our PRACK repeats it; the remote party needs another one only after its failure.
      if (this.unconfirmed?.delete(rseq)) void this.acknowledge(rseq);
      return 'repeated';
    }
    this.last = rseq;
    void this.acknowledge(rseq);
    return 'new';
  }

  private async acknowledge(rseq: number): Promise<void> {
    const rack = `${rseq} ${this.inviteCseq} INVITE`;
    const write = (prack: SipRequest): void => void prack.headers.push('rack', rack);
    const reply = await this.requests.send('PRACK', write);
    if (typeof reply === 'string' || reply.status >= 300) (this.unconfirmed ??= new Set()).add(rseq);
  }
}

/** The RSeq of a response that requires an acknowledgement. */
function rseqOf(response: SipResponse): number | undefined {
  const required = response.headers.list('require').some((tag) => tag.toLowerCase() === '100rel');
  const text = response.headers.get('rseq')?.trim() ?? '';
  return required && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}

const MAX_WAITING = 10;

interface Unacknowledged {
  rseq: number;
  response: SipResponse;
  retransmission: Retransmission;
  timeout: NodeJS.Timeout;
}

/**
 * UAS side of reliable provisional responses (RFC 3262 §3): numbered, one at a time, repeated until their PRACK. Without a PRACK within
 * 64 x T1 the INVITE is given up.
 */
export class ReliableProvisionalSender {
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

  /** Adds Require and RSeq. Waits until the previous response is acknowledged (§3). */
  respond(response: SipResponse): void {
    // Bounds the queue for a UAC that never acknowledges.
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

  /** A 2xx must not overtake an unacknowledged description (§3). */
  afterDescriptions(go: () => void): void {
    const waiting = [this.unacknowledged?.response, ...this.queue].some((one) => one !== undefined && one.body !== '');
    if (waiting) this.whenAcknowledged.push(go);
    else go();
  }

  /** Stops after the final response. A late PRACK is still answered. */
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
      retransmission: new Retransmission(this.timers.t1, Infinity, send).start(),
      timeout,
    };
    send();
  }

  private rest(): void {
    this.unacknowledged?.retransmission.stop();
    clearTimeout(this.unacknowledged?.timeout);
  }
}

/** An early dialog with one phone. */
interface EarlyDialog {
  session: DialogSession;
  provisionals: ReliableProvisionalReceiver;
}

/** More phones than ring for one call; a larger number is an attack or a fault. */
export const MAX_FORKS = 20;

/** The early dialogs of one INVITE, one per To tag (RFC 3261 §12.1), and the requests inside them. */
export class EarlyDialogs implements DialogHandler {
  private dialogs: Map<string, EarlyDialog> | undefined;
  private owned?: { callId: string; localTag: string };

  constructor(
    private readonly core: UaCore,
    private readonly newSession: (response: SipResponse) => DialogSession,
    private readonly inviteCseq: number,
  ) {}

  /** The early dialog of that response, created by the first one; undefined without a To tag. */
  of(response: SipResponse): EarlyDialog | undefined {
    const tag = tagOf(response.headers.get('to'));
    const known = tag === undefined ? undefined : this.dialogs?.get(tag);
    if (known || tag === undefined || (this.dialogs && this.dialogs.size >= MAX_FORKS)) return known;
    const session = this.newSession(response);
    const fork = { session, provisionals: new ReliableProvisionalReceiver(session.requests, this.inviteCseq) };
    (this.dialogs ??= new Map()).set(tag, fork);
    this.adopt(session);
    return fork;
  }

  /** The early dialog that is answered by `response`, if there was one. */
  answeredBy(response: SipResponse): EarlyDialog | undefined {
    return this.dialogs?.get(tagOf(response.headers.get('to')) ?? '');
  }

  receive(request: SipRequest, transaction: ServerTransaction): void {
    const fork = this.dialogs?.get(tagOf(request.headers.get('from')) ?? '');
    if (fork) fork.session.receive(request, transaction);
    else transaction.respond(responseTo(request, 481));
  }

  dialogWith(remoteTag: string | undefined): Dialog | undefined {
    return this.dialogs?.get(remoteTag ?? '')?.session.dialog;
  }

  receiveAck(): void {
    // No response awaits an ACK before the answer.
  }

  /** Ends all early dialogs except the one that was answered. */
  end(winner?: DialogSession): void {
    for (const { session } of this.dialogs?.values() ?? []) if (session !== winner) session.end();
    this.dialogs = undefined;
    if (this.owned) this.core.release(this.owned.callId, this.owned.localTag, this);
  }

  dispose(): void {
    for (const { session } of this.dialogs?.values() ?? []) session.dispose();
  }

  private adopt({ dialog: { callId, localTag } }: DialogSession): void {
    if (this.owned) return;
    this.owned = { callId, localTag };
    this.core.adopt(callId, localTag, this);
  }
}
