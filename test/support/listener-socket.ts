import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { eventually } from './eventually.js';

interface Message {
  type: string;
  [field: string]: unknown;
}

const FRAME_MS = 20;
const SILENCE = Buffer.alloc(160, 0xff);

/** A client of `GET /calls/{callId}/audio` in PCMU. It sends silence all the time while it speaks on the call. */
export class ListenerSocket {
  readonly messages: Message[] = [];
  /** The latest close code; undefined while it is open. */
  closeCode: number | undefined;
  private readonly frames: Buffer[] = [];
  private readonly toSay: Buffer[] = [];
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.frames.push(data as Buffer);
      else this.messages.push(JSON.parse((data as Buffer).toString()) as Message);
    });
    socket.on('close', (code) => {
      clearInterval(this.timer);
      this.closeCode = code;
    });
    socket.on('error', () => undefined);
  }

  /** As a machine does. Resolves when it is open; rejects with the status of a refusal. */
  static async open(url: string, token: string): Promise<ListenerSocket> {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), 'trunkline.v1', {
      headers: { authorization: `Bearer ${token}` },
    });
    const listener = new ListenerSocket(socket);
    const refused = once(socket, 'unexpected-response').then(([request, response]) => {
      (request as { destroy(): void }).destroy();
      throw new Error(`refused: ${(response as IncomingMessage).statusCode}`);
    });
    await Promise.race([once(socket, 'open'), refused]);
    refused.catch(() => undefined);
    return listener;
  }

  /** As a page does: the connection is open also when it is refused. */
  static async openAsPage(url: string, token?: string, headers: Record<string, string> = {}): Promise<ListenerSocket> {
    const socket = new WebSocket(
      url.replace(/^http/, 'ws'),
      ['trunkline.v1', ...(token === undefined ? [] : [`token.${token}`])],
      { headers },
    );
    const listener = new ListenerSocket(socket);
    await once(socket, 'open');
    return listener;
  }

  /** Resolves with the first message that matches. */
  async until(isWanted: (message: Message) => boolean): Promise<Message> {
    await eventually(
      () => this.messages.some(isWanted),
      (found) => found,
    );
    return this.messages.find(isWanted)!;
  }

  /** Resolves when the latest state is as wanted. */
  async untilState(isWanted: (state: Message) => boolean): Promise<Message> {
    const latest = (): Message | undefined => this.messages.findLast(({ type }) => type === 'state');
    return (await eventually(latest, (state) => state !== undefined && isWanted(state)))!;
  }

  send(type: string): void {
    this.socket.send(JSON.stringify({ type }));
  }

  sendRaw(data: Buffer | string): void {
    this.socket.send(data);
  }

  /** Sends 50 frames a second from now on: silence, or what `say` adds. */
  startSpeaking(): void {
    this.timer ??= setInterval(() => this.socket.send(this.toSay.shift() ?? SILENCE), FRAME_MS);
  }

  /** The person is gone, and the connection stays open. */
  stopSpeaking(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** PCMU of whole frames. */
  say(audio: Buffer): void {
    for (let at = 0; at < audio.length; at += 160) this.toSay.push(audio.subarray(at, at + 160));
  }

  /** Frames received so far. */
  get count(): number {
    return this.frames.length;
  }

  /** PCMU of the user (0) or the agent (1). `from`: the number of the first frame. */
  heard(channel: 0 | 1, from = 0): Buffer {
    return Buffer.concat(this.frames.slice(from)).filter((_, at) => at % 2 === channel) as Buffer;
  }

  async untilFrames(count: number): Promise<void> {
    await eventually(
      () => this.frames.length,
      (received) => received >= count,
    );
  }

  async untilClosed(): Promise<number> {
    return (await eventually(
      () => this.closeCode,
      (code) => code !== undefined,
    ))!;
  }

  async close(): Promise<void> {
    if (this.closeCode !== undefined) return;
    const closed = once(this.socket, 'close');
    this.socket.close();
    await closed;
  }
}

/** 16-bit samples of PCMU (G.711 table 2a). */
export const samplesOf = (audio: Buffer): number[] =>
  [...audio].map((byte) => {
    const inverted = ~byte & 0xff;
    const magnitude = ((((inverted & 0x0f) << 3) + 132) << ((inverted >> 4) & 7)) - 132;
    return inverted & 0x80 ? -magnitude : magnitude;
  });

export const isSilent = (audio: Buffer): boolean => audio.every((byte) => byte === 0xff || byte === 0x7f);

/** A frame that a busy machine sends or receives late is missing in one piece only. */
const PIECE_BYTES = 100 * 8;

/** Whether a piece of `part` is in `heard` as it is. */
export function contains(heard: Buffer, part: Buffer): boolean {
  // G.711 has two zeros, and decoding knows one.
  const plain = (audio: Buffer): Buffer => audio.map((byte) => (byte === 0x7f ? 0xff : byte)) as Buffer;
  const [whole, wanted] = [plain(heard), plain(part)];
  for (let at = 0; at + PIECE_BYTES <= wanted.length; at += PIECE_BYTES / 5)
    if (whole.includes(wanted.subarray(at, at + PIECE_BYTES))) return true;
  return false;
}

/** How alike the best place of `heard` is to `spoken`, from 0 to 1: the highest normalised cross-correlation. */
export function likeness(heard: Buffer, spoken: Buffer): number {
  const [long, short] = [samplesOf(heard), samplesOf(spoken)];
  const energyOf = (samples: number[]): number => samples.reduce((sum, sample) => sum + sample ** 2, 0);
  const energy = energyOf(short);
  let best = 0;
  for (let lag = 0; lag + short.length <= long.length; lag++) {
    let [product, other] = [0, 1];
    for (let i = 0; i < short.length; i++) {
      const sample = long[lag + i]!;
      product += sample * short[i]!;
      other += sample ** 2;
    }
    best = Math.max(best, product / Math.sqrt(energy * other));
  }
  return best;
}

/** Whether some 100 ms of `spoken` are in `heard`, after resampling and beside other sound. */
export function soundsLike(heard: Buffer, spoken: Buffer): boolean {
  const starts = Array.from({ length: Math.floor(spoken.length / PIECE_BYTES) }, (_, at) => at * PIECE_BYTES);
  return starts.some((at) => likeness(heard, spoken.subarray(at, at + PIECE_BYTES)) > 0.9);
}

/** Two seconds at most of a voice-like sound in PCMU: a gliding tone with syllables, different for each `pitch`. */
export function sound(pitch: number, ms = 600): Buffer {
  const samples = ms * 8;
  let phase = 0;
  return Buffer.from(
    Array.from({ length: samples }, (_, at) => {
      phase += (2 * Math.PI * (pitch + 200 * Math.sin(at / 900))) / 8_000;
      const syllable = 0.35 + 0.65 * Math.abs(Math.sin(at / 700));
      return muLawOf(9_000 * syllable * Math.sin(phase));
    }),
  );
}

function muLawOf(sample: number): number {
  const magnitude = Math.min(32_635, Math.abs(Math.round(sample))) + 132;
  const segment = 24 - Math.clz32(magnitude);
  const step = (magnitude >> (segment + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | step) & 0xff;
}
