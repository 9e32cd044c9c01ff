import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:dgram';
import type { EventPacket } from './dtmf-sender.js';
import { FRAME_BYTES } from './media-port.js';
import type { Address } from './remote-media.js';
import { RTP_HEADER_BYTES, writeRtpHeader } from './rtp-packet.js';

/** The kernel normally takes a datagram at once; when it does not, its buffer must rest until it has gone. 320 ms of them. */
const PACKETS = 16;

interface Packet {
  bytes: Buffer;
  /** View of the 160 bytes after the header. */
  payload: Buffer;
}

/** Numbers and sends the packets of one stream. Sequence number, timestamp and SSRC start at random (RFC 3550 §5.1). */
export class RtpSender {
  /** Packets that the kernel has taken. */
  sent = 0;
  private sequence: number;
  private timestamp: number;
  private readonly ssrc: number;
  /** Made when first used: most calls of a campaign end before they have sent 16 packets. */
  private readonly packets: Packet[] = [];
  private marker = true;

  constructor(private readonly socket: Socket) {
    const random = randomBytes(10);
    this.sequence = random.readUInt16BE(0);
    this.timestamp = random.readUInt32BE(2);
    this.ssrc = random.readUInt32BE(6);
  }

  /** The clock of the stream runs whether something is sent or not. */
  advance(frames: number): void {
    this.timestamp = (this.timestamp + frames * FRAME_BYTES) >>> 0;
  }

  /** RFC 3551 §4.1: the first packet after a pause carries the marker bit. */
  paused(): void {
    this.marker = true;
  }

  /** Where the next audio frame goes; send it with sendAudio(). */
  get frame(): Packet {
    return (this.packets[this.sequence % PACKETS] ??= newPacket());
  }

  sendAudio(to: Address, payloadType: number): void {
    this.send(to, this.frame, FRAME_BYTES, { payloadType, marker: this.marker, timestamp: this.timestamp });
    this.marker = false;
  }

  sendEvent(to: Address, payloadType: number, event: EventPacket): void {
    const timestamp = (this.timestamp - event.age * FRAME_BYTES) >>> 0;
    event.payload.copy(this.frame.payload);
    this.send(to, this.frame, event.payload.length, { payloadType, marker: event.marker, timestamp });
  }

  private send(
    to: Address,
    packet: Packet,
    payloadBytes: number,
    header: { payloadType: number; marker: boolean; timestamp: number },
  ): void {
    writeRtpHeader(packet.bytes, { ...header, sequence: this.sequence, ssrc: this.ssrc });
    this.socket.send(packet.bytes, 0, RTP_HEADER_BYTES + payloadBytes, to.port, to.address, this.onSent);
    this.sequence = (this.sequence + 1) & 0xffff;
  }

  /** A packet that could not leave (no route) is missing in `sent`: the far end hears nothing and one of us times out. */
  private readonly onSent = (error: Error | null): void => {
    if (!error) this.sent++;
  };
}

function newPacket(): Packet {
  const bytes = Buffer.alloc(RTP_HEADER_BYTES + FRAME_BYTES);
  return { bytes, payload: bytes.subarray(RTP_HEADER_BYTES) };
}
