import { parseSdp, type SdpAudio, SdpProblem } from '../sdp-parse.js';
import { buildAnswer, buildOffer, type LocalAudio, type LocalTerms } from '../sdp.js';
import { incompatibility, type MediaWarning } from './media-warning.js';

/** The side whose offer has no answer yet. There is one offer at a time (RFC 3264 §4). */
export type OpenOffer = 'ours' | 'theirs' | undefined;

/** The local descriptions of one dialog, each with the next version (RFC 3264 §8), and the state of offer and answer. */
export class OfferAnswer {
  private openOffer: OpenOffer;
  private ackPending = false;
  private readonly waiters = new Set<() => void>();
  private local?: LocalAudio;
  private holding = false;

  constructor(
    /** The last local description; parsed on renegotiation only, which is rare. */
    private last: string,
    open: OpenOffer,
    /** Codecs and SRTP policy; the codecs of `last` and plain RTP when absent. */
    private terms?: LocalTerms,
  ) {
    this.openOffer = open;
  }

  get open(): OpenOffer {
    return this.openOffer;
  }

  set open(open: OpenOffer) {
    this.openOffer = open;
    this.wake();
  }

  /** Our 2xx to an INVITE has no ACK yet: no re-INVITE may be sent (RFC 3261 §14.1). */
  set unacknowledged(pending: boolean) {
    this.ackPending = pending;
    this.wake();
  }

  /** Neither an offer nor an ACK is outstanding: a new INVITE may be sent. */
  get idle(): boolean {
    return this.openOffer === undefined && !this.ackPending;
  }

  /** Resolves when `idle`, after `ms`, or when `signal` aborts; `idle` says which. */
  async untilIdle(ms: number, signal: AbortSignal): Promise<void> {
    if (this.idle || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      this.waiters.add(done);
    });
  }

  /** Sets the local description that was built elsewhere. */
  describe(description: string, terms = this.terms): void {
    this.last = description;
    this.terms = terms;
    this.local = undefined;
  }

  /** A new offer with all our capabilities. Undefined without an earlier description. */
  offer(): string | undefined {
    const local = this.nextDescription();
    return local && this.keep(buildOffer(local));
  }

  /** The answer to `offer`, or undefined: nothing in common. */
  answer(offer: SdpAudio): string | undefined {
    const local = this.nextDescription();
    const answer = local && buildAnswer(offer, local);
    return answer === undefined ? undefined : this.keep(answer);
  }

  /** Why `answer` returned undefined. */
  incompatibility(offer: SdpAudio): MediaWarning {
    return incompatibility(this.local ?? { codecs: [] }, offer);
  }

  /** The last local description, for a request without changes (RFC 4028 §7.4). */
  repeat(): string {
    return this.last;
  }

  /** A new offer, `sendonly` on hold. Call `undo` when it is refused, which restores the previous description. */
  reoffer(hold: boolean): { offer: string | undefined; undo: () => void } {
    const { last, holding } = this;
    this.holding = hold;
    const undo = (): void => {
      this.last = last;
      this.holding = holding;
    };
    return { offer: this.offer(), undo };
  }

  private wake(): void {
    if (this.idle) for (const done of [...this.waiters]) done();
  }

  private keep(description: string): string {
    this.last = this.holding ? sendingOnly(description) : description;
    return this.last;
  }

  private nextDescription(): LocalAudio | undefined {
    const before = this.local ?? described(this.last, this.terms);
    if (!before?.origin) return undefined;
    this.local = { ...before, origin: { id: before.origin.id, version: before.origin.version + 1 } };
    return this.local;
  }
}

/** RFC 3264 §8.4: the holding side does not receive. */
function sendingOnly(description: string): string {
  return description.replace(/^a=sendrecv$/m, 'a=sendonly').replace(/^a=recvonly$/m, 'a=inactive');
}

/** Our own descriptions always parse; without one renegotiation is impossible. */
function described(sdp: string, terms: LocalTerms | undefined): LocalAudio | undefined {
  const ours = parseSdp(sdp);
  if (ours instanceof SdpProblem) return undefined;
  const { address, port, origin } = ours;
  return { address, port, origin, ...(terms ?? { codecs: ours.codecs.map((one) => one.codec) }) };
}
