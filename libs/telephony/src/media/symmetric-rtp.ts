import type { Address, RemoteMedia } from './remote-media.js';

/** After a new answer moved the far end's address, its old stream is on the way a little longer and must not be latched to. */
const OLD_STREAM_MS = 500;

const isSame = (one: Address, other: Address): boolean => one.port === other.port && one.address === other.address;

/**
 * Symmetric RTP (RFC 4961): the remote address is that of the SDP until RTP from another source reveals a NAT. Strangers can send RTP to
 * all our ports faster than a far end that has just answered, so RTP from the described address always takes precedence over an earlier
 * source.
 */
export class SymmetricRtp {
  private described: RemoteMedia | undefined;
  /** The first source that sent RTP we asked for, or the described one: the only one heard, and where ours goes. */
  private latched: Address | undefined;
  private previous: (Address & { at: number }) | undefined;
  private rtcpSource: Address | undefined;

  /** A new description; one with another address lets go of the source. */
  describe(remote: RemoteMedia, nowMs: number): void {
    if (this.described && !isSame(this.described, remote)) this.unlatch(nowMs);
    this.described = remote;
  }

  /** Whether RTP from that source is accepted; decided before decryption. */
  accepts(from: Address, nowMs: number): boolean {
    if (this.isDescribed(from)) return true;
    if (this.latched) return isSame(from, this.latched);
    const latchTo = this.described?.latchTo;
    if (latchTo !== undefined && from.address !== latchTo) return false;
    return !this.previous || nowMs - this.previous.at > OLD_STREAM_MS || !isSame(from, this.previous);
  }

  /** RTP of a negotiated type arrived from that source. */
  latch(from: Address): void {
    if (this.latched && (isSame(from, this.latched) || !this.isDescribed(from))) return;
    if (this.latched) this.rtcpSource = undefined;
    this.latched = { address: from.address, port: from.port };
  }

  get isLatched(): boolean {
    return this.latched !== undefined;
  }

  get rtp(): Address | undefined {
    return this.latched ?? this.permitted;
  }

  /** RTCP may come from another port of the same host. */
  acceptsRtcp(from: Address): boolean {
    const { latchTo } = this.described ?? {};
    return from.address === this.rtp?.address || from.address === (latchTo ?? this.described?.rtcp?.address);
  }

  /** A report arrived from that address on the separate RTCP port. */
  latchRtcp({ address, port }: Address): void {
    this.rtcpSource = { address, port };
  }

  get multiplexes(): boolean {
    const { described } = this;
    return described?.rtcp !== undefined && isSame(described, described.rtcp);
  }

  /** Undefined: the far end accepts no RTCP. */
  get rtcp(): Address | undefined {
    const rtcp = this.described?.rtcp;
    if (!rtcp || this.multiplexes || !this.rtp) return rtcp && this.rtp;
    return this.rtcpSource ?? { address: this.latched?.address ?? rtcp.address, port: rtcp.port };
  }

  private isDescribed(from: Address): boolean {
    return this.permitted !== undefined && isSame(from, this.permitted);
  }

  /** The described address, unless it is forbidden. */
  private get permitted(): RemoteMedia | undefined {
    return this.described?.latchTo === undefined ? this.described : undefined;
  }

  private unlatch(nowMs: number): void {
    if (this.latched) this.previous = { ...this.latched, at: nowMs };
    this.latched = undefined;
    this.rtcpSource = undefined;
  }
}
