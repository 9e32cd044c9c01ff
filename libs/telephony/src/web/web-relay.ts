import { createSocket, type Socket } from 'node:dgram';
import { literalLookup } from '../ip-address.js';
import type { RemoteMedia, WireCodec } from '../media/session/media-port.js';
import { frameBytesOf } from '../media/session/media-port.js';
import { RTP_HEADER_BYTES } from '../media/rtp/rtp-packet.js';
import { RtpSender } from '../media/rtp/rtp-sender.js';
import { digitOfEvent } from '../media/signals/dtmf.js';
import { PageArrivals, SETTLE_MS } from './page-arrivals.js';

/** The audio of a page: `l16`: 16-bit little-endian samples at 16 kHz, 640 bytes; `pcmu`: 160 bytes. */
export type PageFormat = 'l16' | 'pcmu';

/** Dynamic payload types (RFC 3551 §6). */
const L16_TYPE = 96;
const EVENT_TYPE = 101;
const MARKER = 0x80;

interface RelayListener {
  /** 20 ms for the page; the buffer is valid for ever. `isFirst`: the page drops what it has not played. */
  audio(frame: Buffer, isFirst: boolean): void;
  /** A key was pressed on the other side. */
  digit(digit: string): void;
  /** A frame of the page came too late, and was dropped. */
  dropped(): void;
}

/**
 * The remote party of a media session for the page of a web call: frames of the page become RTP to the session's socket, and its RTP becomes
 * frames. The socket is connected, so that the kernel passes datagrams of the session only.
 */
export class WebRelay {
  private readonly codec: WireCodec;
  private readonly frameBytes: number;
  private readonly sender: RtpSender;
  private readonly arrivals: PageArrivals;
  private socket: Socket | undefined;
  private settling: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    format: PageFormat,
    private readonly on: RelayListener,
  ) {
    this.codec = format === 'l16' ? 'L16' : 'PCMU';
    this.frameBytes = frameBytesOf(this.codec);
    this.sender = new RtpSender((packet, length, outcome) => this.socket?.send(packet.first(length), outcome));
    this.sender.setFrameBytes(this.frameBytes);
    this.arrivals = new PageArrivals(
      (frame, steps) => this.pass(frame, steps),
      () => on.dropped(),
    );
  }

  /** Opens the socket for a session on loopback; returns the description of this side. */
  async open(session: { address: string; port: number }): Promise<RemoteMedia> {
    const socket = createSocket({ type: 'udp4', lookup: literalLookup('udp4') });
    // The session may have closed its socket a moment ago.
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.bind({ address: session.address, exclusive: true }, resolve));
    await new Promise<void>((resolve) => socket.connect(session.port, session.address, resolve));
    socket.on('message', (datagram) => this.receive(datagram));
    this.socket = socket;
    if (this.isClosed) this.close();
    const { address, port } = this.isClosed ? session : socket.address();
    return {
      address,
      port,
      codec: this.codec,
      payloadType: this.payloadType,
      dtmfPayloadType: EVENT_TYPE,
      sendAudio: true,
      isExact: true,
      reportsPlayout: true,
    };
  }

  /** 20 ms of the page. False: the page sends more than twice as fast as real time. */
  receiveFrame(frame: Buffer, nowMs: number): boolean {
    const accepted = this.arrivals.receive(frame, nowMs);
    if (this.arrivals.isHolding) this.settleLater();
    return accepted;
  }

  /** A packet without audio: the page is alive, though its microphone sends nothing. */
  keepAlive(): void {
    this.sender.sendEmpty(this.payloadType);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.settling);
    this.socket?.close();
    this.socket = undefined;
  }

  private get payloadType(): number {
    return this.codec === 'L16' ? L16_TYPE : 0;
  }

  private settleLater(): void {
    this.settling ??= setTimeout(() => {
      this.settling = undefined;
      this.arrivals.settle(performance.now());
      if (this.arrivals.isHolding) this.settleLater();
    }, SETTLE_MS + 1);
  }

  private pass(frame: Buffer, steps: number): void {
    const { payload } = this.sender.frame;
    frame.copy(payload);
    if (this.codec === 'L16') payload.swap16();
    this.sender.advance(steps);
    this.sender.sendAudio(this.payloadType);
  }

  private receive(datagram: Buffer): void {
    if (datagram.length < RTP_HEADER_BYTES) return;
    const second = datagram[1] as number;
    const isMarked = (second & MARKER) !== 0;
    const type = second & ~MARKER;
    if (type === this.payloadType && datagram.length === RTP_HEADER_BYTES + this.frameBytes) {
      const frame = datagram.subarray(RTP_HEADER_BYTES);
      this.on.audio(this.codec === 'L16' ? frame.swap16() : frame, isMarked);
    } else if (type === EVENT_TYPE && isMarked) {
      const digit = digitOfEvent(datagram[RTP_HEADER_BYTES] as number);
      if (digit !== undefined) this.on.digit(digit);
    }
  }
}
