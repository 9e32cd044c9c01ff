import { once } from 'node:events';
import { WebSocket } from 'ws';

interface PageMessage extends Record<string, unknown> {
  type: string;
}

const FRAME_MS = 20;
/** What the page has before it begins to play. */
const AHEAD_MS = 100;
const SILENT = { l16: Buffer.alloc(640), pcmu: Buffer.alloc(160, 0xff) };

/** A page with a microphone and a speaker that play in real time, on the socket of a web call. */
export class WebPage {
  readonly messages: PageMessage[] = [];
  readonly frames: Buffer[] = [];
  /** Audio of the service that was played, without what was cleared. */
  playedMs = 0;
  closedWith: number | undefined;
  private queued = 0;
  private isPlaying = false;
  private speech: Buffer[] = [];
  private ticks = 0;
  private readonly startedAt = performance.now();
  private readonly clock: NodeJS.Timeout;
  private readonly waiting: { is: () => boolean; resolve: () => void }[] = [];

  private constructor(
    readonly socket: WebSocket,
    private readonly silent: Buffer,
  ) {
    socket.on('message', (data: Buffer, isBinary) => (isBinary ? this.hear(data) : this.read(data)));
    socket.on('close', (code) => {
      this.closedWith = code;
      clearInterval(this.clock);
      this.look();
    });
    this.clock = setInterval(() => this.catchUp(), 10);
  }

  /** Rejects with `HTTP 503` and the like when the server refuses the upgrade. */
  static async open(url: string, headers: Record<string, string>): Promise<WebPage> {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    const page = new WebPage(socket, url.includes('format=pcmu') ? SILENT.pcmu : SILENT.l16);
    const refused = new Promise<never>((_resolve, reject) => {
      socket.on('unexpected-response', (_request, { statusCode }) => {
        clearInterval(page.clock);
        reject(new Error(`HTTP ${statusCode}`));
      });
      socket.on('error', reject);
    });
    await Promise.race([once(socket, 'open'), refused]);
    refused.catch(() => undefined);
    return page;
  }

  says(message: Record<string, unknown>): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Queues audio for the microphone: 16-bit samples at 16 kHz. Silence follows. */
  speaks(samples: Int16Array): void {
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    for (let at = 0; at + 640 <= bytes.length; at += 640) this.speech.push(bytes.subarray(at, at + 640));
  }

  types(): string[] {
    return this.messages.map(({ type, status }) => (type === 'status' ? String(status) : type));
  }

  /** The first message of the type, once it has come. */
  async message(type: string): Promise<PageMessage> {
    const find = (): PageMessage | undefined => this.messages.find((one) => one.type === type || one.status === type);
    await this.until(() => find() !== undefined);
    return find()!;
  }

  until(is: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ is, resolve });
      this.look();
    });
  }

  /** Frames that are not silence. */
  get loudFrames(): number {
    return this.frames.filter((frame) => !frame.equals(this.silent)).length;
  }

  /** Breaks the connection without a close frame, as a network does. */
  vanish(): void {
    this.socket.terminate();
  }

  private hear(frame: Buffer): void {
    this.frames.push(frame);
    this.queued += FRAME_MS;
    this.look();
  }

  private read(data: Buffer): void {
    const message = JSON.parse(data.toString()) as PageMessage;
    this.messages.push(message);
    if (message.type === 'clear') {
      this.queued = 0;
      this.isPlaying = false;
    }
    this.look();
  }

  private catchUp(): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    for (; this.ticks * FRAME_MS < performance.now() - this.startedAt; this.ticks++) this.tick();
  }

  private tick(): void {
    this.socket.send(this.speech.shift() ?? this.silent);
    this.isPlaying ||= this.queued >= AHEAD_MS;
    if (this.isPlaying) {
      const ms = Math.min(FRAME_MS, this.queued);
      this.queued -= ms;
      this.playedMs += ms;
      this.isPlaying = this.queued > 0;
    }
    if (this.ticks % 5 === 0) this.says({ type: 'played', ms: this.playedMs });
  }

  private look(): void {
    for (const { is, resolve } of this.waiting) if (is()) resolve();
  }
}
