import type { RemoteInfo, Socket } from 'node:dgram';
import { canonical, withoutPrefix } from '../../ip-address.js';
import type { Address, RemoteMedia } from './media-port.js';
import { pacer } from './pacer.js';
import { isRtcp, parseRtp, type RtpPacket } from '../rtp/rtp-packet.js';
import type { PacketBuffer } from '../rtp/rtp-sender.js';
import type { SrtpKey } from '../rtp/srtp-keys.js';
import { SrtpOpener, SrtpSealer } from '../rtp/srtp.js';

interface LinkListener {
  /** Whether the packet has a negotiated type. */
  expects(packet: RtpPacket): boolean;
  /** From the remote party, decrypted. */
  onRtp(packet: RtpPacket, nowMs: number): void;
  /** A compound packet, decrypted but not parsed. */
  onRtcp(compound: Buffer, nowMs: number): void;
  onFailure(): void;
}

/** The sockets of one session: accepted sources, encryption, and RTP and RTCP on one port or two. */
export class MediaLink {
  private readonly symmetricRtp = new SymmetricRtp();
  private rtcpSocket: Socket | undefined;
  private sealer: { key: SrtpKey; srtp: SrtpSealer } | undefined;
  private opener: { key: SrtpKey; srtp: SrtpOpener } | undefined;
  /** Settles with the socket for reports, opened for the first report. */
  private opening: Promise<void> | undefined;
  private described = false;
  private closed = false;

  constructor(
    private readonly socket: Socket,
    /** A socket on the port after that of the RTP, for remote parties that do not multiplex. */
    private readonly openRtcp: () => Promise<Socket | undefined>,
    private readonly listener: LinkListener,
  ) {
    socket.on('message', (datagram, from) => this.receive(datagram, from));
    // A failed socket receives nothing: the call treats this as a silent remote party.
    socket.on('error', () => listener.onFailure());
  }

  /** The remote party's description, the first or a new one. Unchanged keys keep their packet index. */
  describe(remote: RemoteMedia, nowMs: number): void {
    this.symmetricRtp.describe({ ...canonical(remote), ...(remote.rtcp && { rtcp: canonical(remote.rtcp) }) }, nowMs);
    const { local, remote: theirs } = remote.srtp ?? {};
    this.sealer = local && (isSameKey(this.sealer, local) ? this.sealer : { key: local, srtp: new SrtpSealer(local) });
    this.opener =
      theirs && (isSameKey(this.opener, theirs) ? this.opener : { key: theirs, srtp: new SrtpOpener(theirs) });
    this.described = true;
  }

  /** Sends the packet of `length` bytes to the remote party; encryption needs MAX_SRTP_TAG_BYTES behind it. */
  send(packet: PacketBuffer, length: number, outcome?: (error: Error | null) => void): void {
    const to = this.symmetricRtp.rtp;
    if (!to) return;
    const sealed = this.sealer ? this.sealer.srtp.sealRtp(packet.bytes, length) : length;
    this.socket.send(packet.first(sealed), to.port, to.address, outcome);
  }

  /** Whether a destination is known. */
  get isReachable(): boolean {
    return this.symmetricRtp.rtp !== undefined;
  }

  get takesRtcp(): boolean {
    return this.symmetricRtp.rtcp !== undefined;
  }

  /** Like `sendRtcp`, from the port for the remote party's reports. */
  async sendReport(compound: Buffer): Promise<void> {
    // A call of a few seconds opens no second socket.
    if (!this.symmetricRtp.multiplexes) await (this.opening ??= this.listenForRtcp());
    await this.sendRtcp(compound);
  }

  /** Uses any open socket. Resolves when the kernel has accepted the packet; send errors count as loss. */
  sendRtcp(compound: Buffer): Promise<void> {
    const to = this.symmetricRtp.rtcp;
    if (!to || this.closed) return Promise.resolve();
    const bytes = this.sealer ? this.sealer.srtp.sealRtcp(compound) : compound;
    const socket = this.symmetricRtp.multiplexes ? this.socket : (this.rtcpSocket ?? this.socket);
    return new Promise((resolve) => socket.send(bytes, to.port, to.address, () => resolve()));
  }

  async close(): Promise<void> {
    this.closed = true;
    const sockets = [this.socket, this.rtcpSocket].filter((one) => one !== undefined);
    await Promise.all(sockets.map((one) => new Promise<void>((resolve) => one.close(resolve))));
  }

  private async listenForRtcp(): Promise<void> {
    // Without it our reports leave from the RTP port, and the remote reports are lost; the call continues.
    const socket = await this.openRtcp().catch(() => undefined);
    if (this.closed) return void socket?.close();
    this.rtcpSocket = socket;
    socket?.on('message', (datagram, from) => {
      const source = plainSource(from);
      if (isRtcp(datagram) && this.receiveRtcp(datagram, source, performance.now()))
        this.symmetricRtp.latchRtcp(source);
    });
    socket?.on('error', () => undefined);
  }

  private receive(datagram: Buffer, from: RemoteInfo): void {
    const now = pacer.runDue(performance.now());
    if (!this.described || this.closed) return;
    const source = plainSource(from);
    if (isRtcp(datagram)) this.receiveRtcp(datagram, source, now);
    else if (this.symmetricRtp.accepts(source, now)) this.receiveRtp(datagram, source, now);
  }

  private receiveRtp(datagram: Buffer, source: Address, now: number): void {
    const plain = this.opener ? this.opener.srtp.openRtp(datagram) : datagram;
    const packet = plain && parseRtp(plain);
    if (!packet) return;
    if (this.listener.expects(packet)) this.symmetricRtp.latch(source);
    else if (!this.symmetricRtp.isLatched) return;
    this.listener.onRtp(packet, now);
  }

  private receiveRtcp(datagram: Buffer, source: Address, now: number): boolean {
    if (this.closed || !this.symmetricRtp.acceptsRtcp(source)) return false;
    const compound = this.opener ? this.opener.srtp.openRtcp(datagram) : datagram;
    if (compound) this.listener.onRtcp(compound, now);
    return compound !== undefined;
  }
}

/** The source as in descriptions; the same object where that is its spelling. */
function plainSource(from: RemoteInfo): Address {
  const address = withoutPrefix(from.address);
  return address === from.address ? from : { address, port: from.port };
}

const isSameKey = (one: { key: SrtpKey } | undefined, other: SrtpKey): boolean =>
  one?.key.key === other.key && one.key.suite === other.suite;

/** After an answer with a new remote address, packets of the old stream may still arrive and must not be latched to. */
const OLD_STREAM_MS = 500;

const isSame = (one: Address, other: Address): boolean => one.port === other.port && one.address === other.address;

/**
 * Symmetric RTP (RFC 4961): the remote address is that of the SDP until RTP from another source reveals a NAT. A stranger can send RTP
 * to all our ports earlier than the remote party after its answer, so RTP from the described address always takes precedence over an
 * earlier source.
 */
class SymmetricRtp {
  private described: RemoteMedia | undefined;
  /** The first source of negotiated RTP, or the described one: the only source accepted, and our destination. */
  private latched: Address | undefined;
  private previous: (Address & { at: number }) | undefined;
  private rtcpSource: Address | undefined;

  /** A new description; another address resets the source. */
  describe(remote: RemoteMedia, nowMs: number): void {
    if (this.described && !isSame(this.described, remote)) this.unlatch(nowMs);
    this.described = remote;
  }

  /** Whether RTP from that source is accepted; decided before decryption. */
  accepts(from: Address, nowMs: number): boolean {
    if (this.isDescribed(from)) return true;
    if (this.described?.isExact) return false;
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

  /** Undefined: the remote party does not accept RTCP. */
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
