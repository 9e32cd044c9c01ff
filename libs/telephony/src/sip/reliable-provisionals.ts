import type { DialogRequests } from './dialog-requests.js';
import { parseCseq, type SipRequest, type SipResponse } from './message.js';

/** How a provisional response has to be taken (RFC 3262 §4). `early`: one before it is missing, and it will come again. */
export type Reliability = 'unreliable' | 'new' | 'repeated' | 'early';

/** The caller's side of reliable provisional responses in one early dialog: their order, and a PRACK for each. */
export class ReliableProvisionals {
  private last?: number;
  private readonly unconfirmed = new Set<number>();

  constructor(
    private readonly requests: DialogRequests,
    private readonly invite: SipRequest,
  ) {}

  /** Answers with PRACK what wants one. */
  receive(response: SipResponse): Reliability {
    const rseq = rseqOf(response);
    if (rseq === undefined) return 'unreliable';
    if (this.last !== undefined && rseq > this.last + 1) return 'early';
    if (this.last !== undefined && rseq <= this.last) {
      // Our PRACK is repeated by its transaction; only when that has failed, the far end still needs one.
      if (this.unconfirmed.delete(rseq)) void this.acknowledge(rseq);
      return 'repeated';
    }
    this.last = rseq;
    void this.acknowledge(rseq);
    return 'new';
  }

  private async acknowledge(rseq: number): Promise<void> {
    const cseq = parseCseq(this.invite.headers.get('cseq'))!.number;
    const write = (prack: SipRequest): void => void prack.headers.push('rack', `${rseq} ${cseq} INVITE`);
    const reply = await this.requests.send('PRACK', write);
    if (typeof reply === 'string' || reply.status >= 300) this.unconfirmed.add(rseq);
  }
}

/** The RSeq of a response that asks to be acknowledged. */
function rseqOf(response: SipResponse): number | undefined {
  const required = response.headers.list('require').some((tag) => tag.toLowerCase() === '100rel');
  const text = response.headers.get('rseq')?.trim() ?? '';
  return required && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}
