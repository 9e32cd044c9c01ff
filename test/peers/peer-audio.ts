import { createSocket, type Socket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { PATIENCE_MS } from '../support/eventually.js';

const FRAME_BYTES = 160;
const FRAME_MS = 20;
const KEYS = '0123456789*#ABCD';
const KEY_PAYLOAD = 101;
/** PCMU: the exponent of samples of about 2,000 and more. */
const LOUD_EXPONENT = 4;
const LOUD_FRAMES = 8;

/** A square wave of 500 Hz in PCMU. */
const TONE = Buffer.from(Array.from({ length: FRAME_BYTES }, (_, at) => (at % 16 < 8 ? 0xaf : 0x2f)));
const SILENCE = Buffer.alloc(FRAME_BYTES, 0xff);

/** The RTP of a call: PCMU frames of 20 ms and RFC 4733 keys. It sends silence until it is told otherwise. */
export class PeerAudio {
  /** Received keys, in order. */
  keys = '';
  private readonly events = new EventEmitter().setMaxListeners(0);
  private loudFrames = 0;
  private lastKeyAt = -1;
  private sequence = 0;
  private timestamp = 0;
  private timer: NodeJS.Timeout | undefined;
  private isOpen = true;
  private target: { address: string; port: number } | undefined;
  /** Frames that are still to be sent; silence afterwards. */
  private toneFrames = 0;
  private readonly keyPackets: Buffer[] = [];
  /** Frames of `play` that are still to be sent. */
  private readonly playing: Buffer[] = [];
  /** The received audio in the order of its arrival, the latest seconds of it. */
  private readonly received: Buffer[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly address: string,
  ) {
    socket.on('message', (packet) => this.take(packet));
  }

  static async open(address: string): Promise<PeerAudio> {
    const socket = createSocket('udp4').bind(0, address);
    await once(socket, 'listening');
    return new PeerAudio(socket, address);
  }

  /** The SDP of the peer. */
  get description(): string {
    return [
      ...['v=0', `o=- 1 1 IN IP4 ${this.address}`, 's=-', `c=IN IP4 ${this.address}`, 't=0 0'],
      `m=audio ${this.socket.address().port} RTP/AVP 0 ${KEY_PAYLOAD}`,
      ...['a=rtpmap:0 PCMU/8000', `a=rtpmap:${KEY_PAYLOAD} telephone-event/8000`, `a=fmtp:${KEY_PAYLOAD} 0-15`],
      ...['a=ptime:20', 'a=sendrecv', ''],
    ].join('\r\n');
  }

  /** Begins to send to the address in the SDP of the other side. */
  sendTo(description: string): void {
    const address = /^c=IN IP4 (\S+)/m.exec(description)?.[1] ?? '127.0.0.1';
    this.target = { address, port: Number(/^m=audio (\d+)/m.exec(description)?.[1]) };
    this.timer = setInterval(() => this.sendFrame(), FRAME_MS);
  }

  /** Sends a tone for that time. Resolves at its end. */
  async playTone(ms: number): Promise<void> {
    this.toneFrames = ms / FRAME_MS;
    await once(this.events, 'tone end', { signal: AbortSignal.timeout(PATIENCE_MS) });
  }

  /** Sends PCMU audio of whole frames. Resolves at its end. */
  async play(audio: Buffer): Promise<void> {
    for (let at = 0; at < audio.length; at += FRAME_BYTES) this.playing.push(audio.subarray(at, at + FRAME_BYTES));
    await once(this.events, 'played', { signal: AbortSignal.timeout(PATIENCE_MS) });
  }

  /** The received PCMU audio of the last minute. */
  get recorded(): Buffer {
    return Buffer.concat(this.received);
  }

  /** Presses keys of 100 ms, with pauses of 100 ms. */
  press(keys: string): void {
    for (const key of keys) {
      const packets = [20, 40, 60, 80, 100].map((ms) => keyPacket(key, ms, false));
      const ends = Array.from({ length: 3 }, () => keyPacket(key, 100, true));
      this.keyPackets.push(...packets, ...ends, ...Array.from({ length: 5 }, () => SILENCE));
    }
  }

  /** Resolves when audible sound has arrived. */
  async heard(): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (this.loudFrames < LOUD_FRAMES) await once(this.events, 'loud', { signal });
  }

  /** Resolves when the tone of a peer has arrived. */
  async heardTone(): Promise<void> {
    await once(this.events, 'tone', { signal: AbortSignal.timeout(PATIENCE_MS) });
  }

  /** Resolves when these keys have arrived. */
  async pressed(keys: string): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (!this.keys.includes(keys)) await once(this.events, 'key', { signal });
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    clearInterval(this.timer);
    this.socket.close();
  }

  private keyStart = 0;

  private sendFrame(): void {
    const key = this.keyPackets.shift();
    const isKey = key !== undefined && key !== SILENCE;
    // RFC 4733 §2.5.1.2: all packets of a key have the time of its begin.
    if (!isKey) this.keyStart = 0;
    else if (this.keyStart === 0) this.keyStart = this.timestamp;
    const header = Buffer.alloc(12);
    header.writeUInt8(0x80, 0);
    header.writeUInt8(isKey ? KEY_PAYLOAD : 0, 1);
    header.writeUInt16BE((this.sequence += 1), 2);
    header.writeUInt32BE(isKey ? this.keyStart : this.timestamp, 4);
    header.writeUInt32BE(0x7ee7, 8);
    this.timestamp += FRAME_BYTES;
    const played = this.playing.shift();
    if (played && this.playing.length === 0) this.events.emit('played');
    const sound = played ?? (this.toneFrames > 0 ? TONE : SILENCE);
    if (this.toneFrames > 0 && (this.toneFrames -= 1) === 0) this.events.emit('tone end');
    const { port, address } = this.target!;
    this.socket.send(Buffer.concat([header, key ?? sound]), port, address);
  }

  private keep(frame: Buffer): void {
    this.received.push(Buffer.from(frame));
    if (this.received.length > MAX_KEPT_FRAMES) this.received.shift();
  }

  private take(packet: Buffer): void {
    const type = packet.readUInt8(1) & 0x7f;
    if (type === KEY_PAYLOAD) {
      const startedAt = packet.readUInt32BE(4);
      if (startedAt === this.lastKeyAt) return;
      this.lastKeyAt = startedAt;
      this.keys += KEYS[packet.readUInt8(12)] ?? '?';
      this.events.emit('key');
    } else if (type === 0) this.keep(packet.subarray(12));
    if (type === 0 && isLoud(packet.subarray(12))) {
      this.loudFrames += 1;
      this.events.emit('loud');
      if (packet.subarray(12).every((byte) => byte === TONE[0] || byte === TONE.at(-1))) this.events.emit('tone');
    }
  }
}

const MAX_KEPT_FRAMES = 60_000 / FRAME_MS;

const isLoud = (frame: Buffer): boolean => frame.some((byte) => (~byte & 0x70) >> 4 >= LOUD_EXPONENT);

function keyPacket(key: string, ms: number, isEnd: boolean): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt8(KEYS.indexOf(key), 0);
  payload.writeUInt8((isEnd ? 0x80 : 0) | 10, 1);
  payload.writeUInt16BE(ms * 8, 2);
  return payload;
}
