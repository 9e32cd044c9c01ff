import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const FRAME_MS = 20;
const RTP_BYTES = 12;
export const SILENCE = Buffer.alloc(160, 0xff);
/** A period of 8 samples (1,000 Hz) at about -12 dB in mu-law, so that every frame is loud. */
export const TONE = Buffer.from(
  Array.from({ length: 160 }, (_, i) => [0xff, 0x97, 0x8f, 0x97, 0x7f, 0x17, 0x0f, 0x17][i % 8]!),
);
/** Of a conversation at fixed times: the agent speaks for 5 s, then the user for 3 s. */
export const CYCLE_MS = 10_000;
export const USER_SPEAKS_MS = { from: 5_500, to: 8_500 };
/** The clock that all processes of a machine share. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Audio that a phone received since the last query; times by `now`, frames by received packets. */
export interface Heard {
  firstLoudAt?: number;
  lastLoudAt: number;
  loudFrames: number;
}

/** A phone that measures raw packets. */
export class Phone {
  heard: Heard = { lastLoudAt: 0, loudFrames: 0 };
  received = 0;
  private firstTimestamp: number | undefined;
  private lastTimestamp = 0;
  private speakingFrames = 0;
  private sequence = 0;
  private remotePort = 0;
  private onsetAt = 0;
  private lastLoudSentAt = 0;

  private constructor(private readonly socket: Socket) {
    socket.on('message', (packet: Buffer) => this.take(packet));
  }

  static async open(): Promise<Phone> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new Phone(socket);
  }

  get port(): number {
    return this.socket.address().port;
  }

  call(port: number): void {
    this.remotePort = port;
  }

  listenAnew(): void {
    this.heard = { lastLoudAt: 0, loudFrames: 0 };
    this.received = 0;
    this.firstTimestamp = undefined;
  }

  /** Frames by the remote party's RTP clock. */
  get expected(): number {
    if (this.firstTimestamp === undefined) return 0;
    return ((this.lastTimestamp - this.firstTimestamp) >>> 0) / 160 + 1;
  }

  /** Resolves with the send time of its first packet. */
  async speak(ms: number): Promise<number> {
    this.onsetAt = 0;
    this.speakingFrames = ms / FRAME_MS;
    while (this.onsetAt === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return this.onsetAt;
  }

  /** Resolves with the end of the last packet of `speak`. */
  async spoken(): Promise<number> {
    while (this.speakingFrames > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return this.lastLoudSentAt + FRAME_MS;
  }

  /** Must be called every 20 ms. */
  tick(): void {
    if (this.remotePort === 0) return;
    const isLoud = this.speakingFrames > 0;
    const packet = Buffer.alloc(RTP_BYTES + 160);
    packet.writeUInt16BE(0x8000, 0);
    packet.writeUInt16BE((this.sequence = (this.sequence + 1) & 0xffff), 2);
    packet.writeUInt32BE((this.sequence * 160) >>> 0, 4);
    packet.writeUInt32BE(this.port, 8);
    (isLoud ? TONE : SILENCE).copy(packet, RTP_BYTES);
    this.socket.send(packet, this.remotePort, '127.0.0.1');
    if (!isLoud) return;
    this.lastLoudSentAt = now();
    if (this.onsetAt === 0) this.onsetAt = this.lastLoudSentAt;
    this.speakingFrames--;
  }

  private take(packet: Buffer): void {
    if (packet.length < RTP_BYTES + 160) return;
    this.received++;
    this.lastTimestamp = packet.readUInt32BE(4);
    this.firstTimestamp ??= this.lastTimestamp;
    if (packet.subarray(RTP_BYTES).every((byte) => byte === 0xff || byte === 0x7f)) return;
    this.heard.lastLoudAt = now();
    this.heard.firstLoudAt ??= this.heard.lastLoudAt;
    this.heard.loudFrames++;
  }
}
