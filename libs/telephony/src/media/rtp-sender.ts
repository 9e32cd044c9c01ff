import { fewRandomBytes } from '../random-ids.js';
import type { EventPacket } from './dtmf.js';
import { FRAME_BYTES } from './media-port.js';
import type { SentStream } from './rtcp.js';
import { RTP_HEADER_BYTES, type RtpHeader, writeRtpHeader } from './rtp-packet.js';
import { MAX_SRTP_TAG_BYTES } from './srtp.js';

/** The kernel normally accepts a datagram at once; otherwise its buffer must not be reused until it has left. 320 ms of buffers. */
const PACKETS = 16;

interface Packet {
  bytes: Buffer;
  /** View of the 160 bytes after the header. */
  payload: Buffer;
}

/** Sends the packet of `length` bytes to the remote party; it may use the bytes behind that. */
type Send = (packet: Buffer, length: number, sent: (error: Error | null) => void) => void;

/**
 * Numbers and sends the packets of one stream. Sequence number, timestamp and SSRC start at random (RFC 3550 §5.1), the sequence number
 * in the lower half: a rollover among lost first packets would confuse an SRTP receiver (RFC 3711 §3.3.1).
 */
export class RtpSender {
  /** Packets that the kernel has accepted. */
  sent = 0;
  readonly ssrc: number;
  private octets = 0;
  private timestamp: number;
  /** The header of the next packet; one object for all packets, because garbage per packet causes pauses in every call. */
  private readonly header: RtpHeader;
  /** Allocated on first use: most calls of a campaign end before they have sent 16 packets. */
  private readonly packets: Packet[] = [];
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
  get frame(): Packet {
    return (this.packets[this.header.sequence % PACKETS] ??= newPacket());
  }

  sendAudio(payloadType: number): void {
    this.number(payloadType, this.marker, this.timestamp, FRAME_BYTES);
    this.marker = false;
  }

  sendEvent(payloadType: number, event: EventPacket): void {
    // Not the number of frames since: a late pacer skips some, and a receiver takes another timestamp for another press.
    if (event.marker) this.pressedAt = this.timestamp;
    event.payload.copy(this.frame.payload);
    this.number(payloadType, event.marker, this.pressedAt, event.payload.length);
  }

  private number(payloadType: number, marker: boolean, timestamp: number, payloadBytes: number): void {
    const { header } = this;
    const { bytes } = this.frame;
    header.payloadType = payloadType;
    header.marker = marker;
    header.timestamp = timestamp;
    writeRtpHeader(bytes, header);
    this.octets += payloadBytes;
    this.send(bytes, RTP_HEADER_BYTES + payloadBytes, this.onSent);
    header.sequence = (header.sequence + 1) & 0xffff;
  }

  /** A packet that could not leave (no route) is missing in `sent`: the remote party receives nothing and one side times out. */
  private readonly onSent = (error: Error | null): void => {
    if (!error) this.sent++;
  };
}

function newPacket(): Packet {
  const bytes = Buffer.alloc(RTP_HEADER_BYTES + FRAME_BYTES + MAX_SRTP_TAG_BYTES);
  return { bytes, payload: bytes.subarray(RTP_HEADER_BYTES, RTP_HEADER_BYTES + FRAME_BYTES) };
}
