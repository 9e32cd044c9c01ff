import { fewRandomBytes } from '../../random-ids.js';
import type { EventPacket } from '../signals/dtmf.js';
import { FRAME_BYTES } from '../session/media-port.js';
import type { SentStream } from './rtcp.js';
import { RTP_HEADER_BYTES, type RtpHeader, writeRtpHeader } from './rtp-packet.js';
import { MAX_SRTP_TAG_BYTES } from './srtp.js';

/** The kernel normally accepts a datagram at once; otherwise its buffer must not be reused until it has left. 320 ms of buffers. */
const PACKETS = 16;

/** The outcome of one packet per second stands for the others: a callback per packet costs a tenth of sending it. */
const PROBE_EVERY = 50;

/** Sends the packet of `length` bytes to the remote party; it may use the bytes behind that. */
type Send = (packet: PacketBuffer, length: number, outcome?: (error: Error | null) => void) => void;

/**
 * Numbers and sends the packets of one stream. Sequence number, timestamp and SSRC start at random (RFC 3550 §5.1), the sequence number
 * in the lower half: a rollover among lost first packets would confuse an SRTP receiver (RFC 3711 §3.3.1).
 */
export class RtpSender {
  /** Packets that the kernel has accepted; at most a second of others, when it begins to refuse them. */
  sent = 0;
  readonly ssrc: number;
  /** Packets until one whose outcome is asked for. */
  private probeIn = 0;
  private octets = 0;
  private timestamp: number;
  /** The header of the next packet; one object for all packets, because garbage per packet causes pauses in every call. */
  private readonly header: RtpHeader;
  /** Allocated on first use: most calls of a campaign end before they have sent 16 packets. */
  private packets: PacketBuffer[] = [];
  private frameBytes = FRAME_BYTES;
  private marker = true;
  private pressedAt = 0;

  constructor(private readonly send: Send) {
    const random = fewRandomBytes(10);
    const sequence = random.readUInt16BE(0) & 0x7fff;
    this.timestamp = random.readUInt32BE(2);
    this.ssrc = random.readUInt32BE(6);
    this.header = { payloadType: 0, marker: true, sequence, timestamp: this.timestamp, ssrc: this.ssrc };
  }

  /** The clock of the stream always runs. */
  advance(frames: number): void {
    this.timestamp = (this.timestamp + frames * FRAME_BYTES) >>> 0;
  }

  /** RFC 3551 §4.1: the first packet after a pause carries the marker bit. */
  paused(): void {
    this.marker = true;
  }

  /** For our reports. */
  get stream(): SentStream {
    return { ssrc: this.ssrc, packets: this.sent, octets: this.octets, timestamp: this.timestamp };
  }

  /** The buffer for the next audio frame; send it with sendAudio(). */
  get frame(): PacketBuffer {
    return (this.packets[this.header.sequence % PACKETS] ??= new PacketBuffer(this.frameBytes));
  }

  /** The size of 20 ms on the wire. */
  setFrameBytes(bytes: number): void {
    if (bytes === this.frameBytes) return;
    this.frameBytes = bytes;
    this.packets = [];
  }

  sendAudio(payloadType: number): void {
    this.number(payloadType, this.marker, this.timestamp, this.frameBytes);
    this.marker = false;
  }

  /** A packet without audio, between two of audio. */
  sendEmpty(payloadType: number): void {
    this.number(payloadType, false, this.timestamp, 0);
  }

  sendEvent(payloadType: number, event: EventPacket): void {
    // Not the number of frames since: a late pacer skips some, and a receiver takes another timestamp for another press.
    if (event.marker) this.pressedAt = this.timestamp;
    event.payload.copy(this.frame.payload);
    this.number(payloadType, event.marker, this.pressedAt, event.payload.length);
  }

  private number(payloadType: number, marker: boolean, timestamp: number, payloadBytes: number): void {
    const { header, frame } = this;
    header.payloadType = payloadType;
    header.marker = marker;
    header.timestamp = timestamp;
    writeRtpHeader(frame.bytes, header);
    this.octets += payloadBytes;
    this.sent++;
    const isProbe = this.probeIn === 0;
    this.probeIn = isProbe ? PROBE_EVERY - 1 : this.probeIn - 1;
    this.send(frame, RTP_HEADER_BYTES + payloadBytes, isProbe ? this.onOutcome : undefined);
    header.sequence = (header.sequence + 1) & 0xffff;
  }

  /** A packet that could not leave (no route) is missing in `sent`: the remote party receives nothing and one side times out. */
  private readonly onOutcome = (error: Error | null): void => {
    if (!error) return;
    this.sent--;
    this.probeIn = 0;
  };
}

/** The buffer of a datagram. */
export class PacketBuffer {
  readonly bytes: Buffer;
  /** View of the 20 ms of audio after the header. */
  readonly payload: Buffer;
  private datagram: Buffer;

  constructor(frameBytes = FRAME_BYTES) {
    this.bytes = Buffer.alloc(RTP_HEADER_BYTES + frameBytes + MAX_SRTP_TAG_BYTES);
    this.payload = this.bytes.subarray(RTP_HEADER_BYTES, RTP_HEADER_BYTES + frameBytes);
    this.datagram = this.bytes;
  }

  /** View of the first `length` bytes: nearly all packets of a call have the same length. */
  first(length: number): Buffer {
    if (this.datagram.length !== length) this.datagram = this.bytes.subarray(0, length);
    return this.datagram;
  }
}
