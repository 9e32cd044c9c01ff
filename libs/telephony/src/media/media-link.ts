import type { RemoteInfo, Socket } from 'node:dgram';
import { canonical, withoutPrefix } from '../ip-address.js';
import type { Address, RemoteMedia } from './remote-media.js';
import { isRtcp, parseRtp, type RtpPacket } from './rtp-packet.js';
import type { SrtpKey } from './srtp-keys.js';
import { SrtpOpener, SrtpSealer } from './srtp.js';
import { SymmetricRtp } from './symmetric-rtp.js';

interface LinkListener {
  /** Whether the packet is of a type that we asked for. */
  expects(packet: RtpPacket): boolean;
  /** From the far end, decrypted. */
  onRtp(packet: RtpPacket, nowMs: number): void;
  /** A compound packet, decrypted, and not parsed. */
  onRtcp(compound: Buffer, nowMs: number): void;
  onFailure(): void;
}

/** The sockets of one session: accepted sources, encryption, and RTP and RTCP on one port or two. */
export class MediaLink {
  private readonly symmetricRtp = new SymmetricRtp();
  private rtcpSocket: Socket | undefined;
  private sealer: { key: SrtpKey; srtp: SrtpSealer } | undefined;
  private opener: { key: SrtpKey; srtp: SrtpOpener } | undefined;
  /** Settles with the socket of the reports, once the first one is to leave. */
  private opening: Promise<void> | undefined;
  private described = false;
  private closed = false;

  constructor(
    private readonly socket: Socket,
    /** A socket on the port after the RTP's; only far ends that do not multiplex need it. */
    private readonly openRtcp: () => Promise<Socket | undefined>,
    private readonly listener: LinkListener,
  ) {
    socket.on('message', (datagram, from) => this.receive(datagram, from));
    // A socket that fails receives no more: for the call that is a silent far end.
    socket.on('error', () => listener.onFailure());
  }

  /** The far end's description, the first or a new one. Keys that stay the same go on counting. */
  describe(remote: RemoteMedia, nowMs: number): void {
    this.symmetricRtp.describe({ ...canonical(remote), ...(remote.rtcp && { rtcp: canonical(remote.rtcp) }) }, nowMs);
    const { local, remote: theirs } = remote.srtp ?? {};
    this.sealer = local && (isSameKey(this.sealer, local) ? this.sealer : { key: local, srtp: new SrtpSealer(local) });
    this.opener =
      theirs && (isSameKey(this.opener, theirs) ? this.opener : { key: theirs, srtp: new SrtpOpener(theirs) });
    this.described = true;
  }

  /** Sends the packet of `length` bytes to the far end; encryption needs MAX_SRTP_TAG_BYTES behind it. */
  send(packet: Buffer, length: number, sent: (error: Error | null) => void): void {
    const to = this.symmetricRtp.rtp;
    if (!to) return;
    const sealed = this.sealer ? this.sealer.srtp.sealRtp(packet, length) : length;
    this.socket.send(packet, 0, sealed, to.port, to.address, sent);
  }

  /** Whether a destination is known. */
  get isReachable(): boolean {
    return this.symmetricRtp.rtp !== undefined;
  }

  get takesRtcp(): boolean {
    return this.symmetricRtp.rtcp !== undefined;
  }

  /** As `sendRtcp`, from the port that the far end may answer to. */
  async sendReport(compound: Buffer): Promise<void> {
    // A call of a few seconds needs no second socket.
    if (!this.symmetricRtp.multiplexes) await (this.opening ??= this.listenForRtcp());
    await this.sendRtcp(compound);
  }

  /** Uses any open socket. Resolves when the kernel has taken it; send errors count as loss. */
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
    // Without it our reports leave from the RTP port, and theirs are lost: the call continues.
    const socket = await this.openRtcp().catch(() => undefined);
    if (this.closed) return void socket?.close();
    this.rtcpSocket = socket;
    socket?.on('message', (datagram, from) => {
      const source = { address: withoutPrefix(from.address), port: from.port };
      if (isRtcp(datagram) && this.receiveRtcp(datagram, source, performance.now()))
        this.symmetricRtp.latchRtcp(source);
    });
    socket?.on('error', () => undefined);
  }

  private receive(datagram: Buffer, from: RemoteInfo): void {
    if (!this.described || this.closed) return;
    const now = performance.now();
    const source = { address: withoutPrefix(from.address), port: from.port };
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

const isSameKey = (one: { key: SrtpKey } | undefined, other: SrtpKey): boolean =>
  one?.key.key === other.key && one.key.suite === other.suite;
