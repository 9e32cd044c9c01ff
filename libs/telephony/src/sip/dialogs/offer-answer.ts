import { parseSdp, type SdpAudio, SdpProblem } from '../../sdp-parse.js';
import { buildAnswer, buildOffer, type LocalAudio, type LocalTerms, negotiate } from '../../sdp.js';
import type { SipRequest, SipResponse } from '../messages/message.js';
import { responseTo } from '../messages/responses.js';
import { uriHost } from '../messages/sip-address.js';
import type { UaCore } from '../user-agent/ua-core.js';

/** The side whose offer is unanswered. There is one offer at a time (RFC 3264 §4). */
export type OpenOffer = 'ours' | 'theirs' | undefined;

/** The local descriptions of one dialog, each with the next version (RFC 3264 §8), and the state of offer and answer. */
export class OfferAnswer {
  private openOffer: OpenOffer;
  private ackPending = false;
  private waiters: Set<() => void> | undefined;
  private local?: LocalAudio;
  private holding = false;
  private encrypted = false;

  constructor(
    /** The last local description; parsed only on renegotiation, which is rare. */
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

  /** Resolves when `idle`, after `ms`, or when `signal` aborts; check `idle` afterwards. */
  async untilIdle(ms: number, signal: AbortSignal): Promise<void> {
    if (this.idle || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.waiters?.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      (this.waiters ??= new Set()).add(done);
    });
  }

  /** Sets a local description that was built elsewhere. */
  describe(description: string, terms = this.terms): void {
    this.last = description;
    this.terms = terms;
    this.local = undefined;
  }

  /** Both sides have agreed on that description of the remote party. */
  agree(theirs: SdpAudio): void {
    if (this.terms && negotiate(this.terms, theirs)?.srtp) this.keepEncrypted();
  }

  /** The audio is encrypted, and stays so: later offers and answers without keys are refused, also when the policy is optional. */
  keepEncrypted(): void {
    this.encrypted = true;
  }

  /** False for an answer that would end the encryption. */
  accepts(answer: SdpAudio): boolean {
    return !this.encrypted || negotiate(this.requiredTerms(this.terms!), answer) !== undefined;
  }

  /** A new offer with all our capabilities. Undefined without an earlier description. */
  offer(): string | undefined {
    const local = this.nextDescription();
    return local && this.keep(buildOffer(local, streamsOf(this.last)));
  }

  /** The answer to `offer`, or undefined: nothing in common. */
  answer(offer: SdpAudio): string | undefined {
    const local = this.nextDescription();
    const answer = local && buildAnswer(offer, this.requiredTerms(local));
    return answer === undefined ? undefined : this.keep(answer);
  }

  /** The reason why `answer` returned undefined. */
  incompatibility(offer: SdpAudio): MediaWarning {
    return incompatibility(this.requiredTerms(this.local ?? { codecs: [] }), offer);
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

  /** Our own offers keep the form that the remote party understood: not all understand RTP/SAVP. */
  private requiredTerms<T extends LocalTerms>(terms: T): T {
    return this.encrypted && terms.srtp ? { ...terms, srtp: { ...terms.srtp, policy: 'required' } } : terms;
  }

  private wake(): void {
    if (this.waiters && this.idle) for (const done of [...this.waiters]) done();
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

function streamsOf(sdp: string): SdpAudio['streams'] | undefined {
  const ours = parseSdp(sdp);
  return ours instanceof SdpProblem ? undefined : ours.streams;
}

/** Our own descriptions always parse; without one renegotiation is impossible. */
function described(sdp: string, terms: LocalTerms | undefined): LocalAudio | undefined {
  const ours = parseSdp(sdp);
  if (ours instanceof SdpProblem) return undefined;
  const { address, port, origin } = ours;
  return { address, port, origin, ...(terms ?? { codecs: ours.codecs.map((one) => one.codec) }) };
}

/** The reason why a session description is unacceptable: a code and text of RFC 3261 §20.43. */
export class MediaWarning {
  constructor(
    readonly code: number,
    readonly text: string,
  ) {}

  /** The header; `host` is that of the warning side. */
  toHeader(host: string): string {
    return `${this.code} ${uriHost(host)} "${this.text}"`;
  }
}

const ADDRESS_FAMILY = new MediaWarning(301, 'The IP version of the audio address is not supported');
const ADDRESS_NOT_ALLOWED = new MediaWarning(
  399,
  'Sending audio to the address of the audio stream, or to the source of the signalling, is not allowed',
);

const OF_PROBLEM: Record<SdpProblem['problem'], MediaWarning> = {
  'not a session description': new MediaWarning(399, 'The body is not a session description'),
  'too many streams': new MediaWarning(399, 'Too many media streams'),
  'no usable audio stream over RTP': new MediaWarning(304, 'No audio stream over RTP/AVP or RTP/SAVP'),
  'no address for the audio stream': new MediaWarning(399, 'No address for the audio stream'),
  'the address of the audio stream is not an IP address': new MediaWarning(
    301,
    'The media address must be an IP address',
  ),
};

const warningOf = ({ problem }: SdpProblem): MediaWarning => OF_PROBLEM[problem];

/** The reason for an offer without a common result: no codec, or encryption required by one side only. */
export function incompatibility(ours: LocalTerms, theirs: SdpAudio): MediaWarning {
  const streams = [theirs, ...theirs.alternatives];
  if (!streams.some(({ codecs }) => codecs.some(({ codec }) => ours.codecs.includes(codec))))
    return new MediaWarning(305, `No audio format in common, only ${ours.codecs.join(', ')}`);
  const wanted = ours.srtp?.policy === 'required' ? 'SRTP is required' : 'SRTP is not available';
  return new MediaWarning(302, wanted);
}

/** 488 with a Warning. */
export function notAcceptable(request: SipRequest, host: string, warning: MediaWarning, toTag?: string): SipResponse {
  const response = responseTo(request, 488, toTag);
  response.headers.push('warning', warning.toHeader(host));
  return response;
}

/**
 * The usable form of a received description, or the reason why it is unusable. PBXs behind NAT announce forbidden addresses but send
 * RTP: audio goes to its source when that is the source of the signalling (`peer`, an IP address).
 */
export function usableAudio(
  core: Pick<UaCore, 'permits' | 'speaks'>,
  audio: SdpAudio | SdpProblem,
  peer: string,
): SdpAudio | MediaWarning {
  if (audio instanceof SdpProblem) return warningOf(audio);
  if (!core.speaks(audio.address)) return ADDRESS_FAMILY;
  if (core.permits(audio.address)) return audio;
  return core.permits(peer) ? { ...audio, latchTo: peer } : ADDRESS_NOT_ALLOWED;
}
