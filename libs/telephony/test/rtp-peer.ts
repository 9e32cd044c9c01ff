import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { MediaSession } from '../src/media/session/media-session.types.js';
import { parseRtp, type RtpPacket, writeRtpHeader } from '../src/media/rtp/rtp-packet.js';

/** The peer: a plain socket that sends and receives packets. */
export class RtpPeer {
  readonly packets: RtpPacket[] = [];
  private readonly waiting: { enough: (packets: RtpPacket[]) => boolean; resolve: () => void }[] = [];

  private constructor(readonly socket: Socket) {
    socket.on('message', (datagram) => {
      this.packets.push(parseRtp(datagram) as RtpPacket);
      for (const one of this.waiting) if (one.enough(this.packets)) one.resolve();
    });
  }

  static async open(): Promise<RtpPeer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new RtpPeer(socket);
  }

  get port(): number {
    return this.socket.address().port;
  }

  until(enough: (packets: RtpPacket[]) => boolean): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ enough, resolve }));
  }

  received(count: number): Promise<void> {
    const before = this.packets.length;
    return this.until((packets) => packets.length >= before + count);
  }

  send(to: number, packet: Partial<RtpPacket> & { sequence: number }): void {
    const full = {
      payloadType: 0,
      marker: false,
      timestamp: packet.sequence * 160,
      ssrc: 7,
      payload: voice(packet.sequence),
      ...packet,
    };
    const bytes = Buffer.alloc(12 + full.payload.length);
    writeRtpHeader(bytes, full);
    full.payload.copy(bytes, 12);
    this.socket.send(bytes, to, '127.0.0.1');
  }
}

/** A frame that differs from silence and from other frames. */
export const voice = (fill: number): Buffer => Buffer.alloc(160, fill);
/** A telephone event (RFC 4733). */
export const event = (code: number, end: boolean, duration: number): Buffer =>
  Buffer.from([code, end ? 0x8a : 0x0a, duration >> 8, duration & 0xff]);

/** A frame with varying samples, unlike those of the peer. */
export const CONCEALED = -1;

/** Resolves with the received frames as soon as `count` frames of the peer have arrived. */
export function heard(session: MediaSession, count: number): Promise<number[]> {
  const frames: number[] = [];
  return new Promise((resolve) =>
    session.onFrame((frame) => {
      const fill = frame.readUInt8(0);
      frames.push(frame.every((byte) => byte === fill) ? fill : CONCEALED);
      if (frames.filter((one) => one !== 0xff && one !== CONCEALED).length === count) resolve(frames);
    }),
  );
}
