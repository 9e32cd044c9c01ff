import { once } from 'node:events';
import { WebSocket } from 'ws';
import { openSocket } from '../test/support/resuming-page.js';

const FRAME_MS = 20;
/** 20 ms, 16 kHz mono, 16-bit. */
const FRAME_BYTES = 640;
/** The hum of a quiet room in G.711, because silence is not sent back. */
const SILENCE = { l16: Buffer.alloc(FRAME_BYTES), pcmu: Buffer.alloc(160, Uint8Array.of(0xef, 0x6f)) };

export type PageFormat = keyof typeof SILENCE;

/** A frame that is heard again: 1 kHz at a sixteenth of full scale, too short to count as speech. */
const CLICK = Buffer.alloc(FRAME_BYTES);
for (let i = 0; i < FRAME_BYTES / 2; i++) CLICK.writeInt16LE(2_000 * Math.sin((Math.PI * i) / 8), i * 2);
const LOUD = 700;
/** Two clicks of the same page are this far apart, so that an echo is never taken for the next one. */
const CLICK_EVERY_FRAMES = 50;
const REPORT_EVERY_FRAMES = 5;

export interface PageResult {
  sent: number;
  received: number;
  /** ms between the first and the last frame that was received. */
  receivingMs: number;
  /** ms from a frame to its echo. */
  roundTrips: number[];
  clicks: number;
  /** ms by which frames arrived off their 20 ms grid, which is the median of the call. */
  deviations: number[];
}

/** The pages of a benchmark: one timer sends the frames of all of them, spread over 20 ms. */
export class WebPages {
  private readonly pages: LoadPage[] = [];
  private readonly timer = setInterval(() => this.tick(), 1);

  add(page: LoadPage): void {
    page.begin(performance.now() + ((this.pages.length * 0.618) % 1) * FRAME_MS);
    this.pages.push(page);
  }

  /** What happened in the next seconds. */
  async measure(ms: number): Promise<PageResult[]> {
    for (const page of this.pages) page.reset();
    await new Promise((resolve) => setTimeout(resolve, ms));
    return this.pages.map((page) => page.result());
  }

  async hangUp(): Promise<void> {
    await Promise.all(this.pages.splice(0).map((page) => page.hangUp()));
  }

  close(): void {
    clearInterval(this.timer);
    for (const page of this.pages) page.terminate();
  }

  private tick(): void {
    const now = performance.now();
    for (const page of this.pages) page.send(now);
  }
}

/** A page in a call, or a listener; it speaks the protocol of the audio sockets without a browser. */
export class LoadPage {
  /** The messages that were received. */
  readonly messages: { type: string; [name: string]: unknown }[] = [];
  private nextAt = 0;
  private frames = 0;
  private playedMs = 0;
  private clickedAt: number | undefined;
  private sent = 0;
  private clicks = 0;
  private roundTrips: number[] = [];
  private arrivals: number[] = [];

  private constructor(
    private readonly socket: WebSocket,
    private readonly speaks: boolean,
    private readonly format: PageFormat,
  ) {
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.hear(data as Buffer);
      else this.messages.push(JSON.parse((data as Buffer).toString('utf8')) as { type: string });
    });
  }

  /** A page in G.711 sends no clicks. @throws when the server refuses */
  static async open(
    { url, token }: { url: string; token: string },
    { speaks = true, format = 'l16' }: { speaks?: boolean; format?: PageFormat } = {},
  ): Promise<LoadPage> {
    const address = new URL(url);
    address.searchParams.set('format', format);
    const socket = openSocket({ url: address.href, token });
    const page = new LoadPage(socket, speaks, format);
    await once(socket, 'open');
    await page.until('ready');
    return page;
  }

  /** Waits for a message of this type. */
  async until(type: string): Promise<void> {
    while (!this.messages.some((message) => message.type === type)) {
      if (this.socket.readyState !== WebSocket.OPEN)
        throw new Error(`A page lost its connection: ${JSON.stringify(this.messages.slice(-2))}`);
      await Promise.race([once(this.socket, 'message'), once(this.socket, 'close')]);
    }
  }

  begin(at: number): void {
    this.nextAt = at;
    this.frames = Math.floor(Math.random() * CLICK_EVERY_FRAMES);
  }

  send(now: number): void {
    if (!this.speaks) return;
    for (; this.nextAt <= now; this.nextAt += FRAME_MS) {
      const isClick = ++this.frames % CLICK_EVERY_FRAMES === 0 && this.format === 'l16';
      if (isClick) {
        this.clickedAt = performance.now();
        this.clicks++;
      }
      this.socket.send(isClick ? CLICK : SILENCE[this.format]);
      this.sent++;
      if (this.frames % REPORT_EVERY_FRAMES === 0) this.socket.send(`{"type":"played","ms":${this.playedMs}}`);
    }
  }

  reset(): void {
    [this.sent, this.clicks, this.roundTrips, this.arrivals] = [0, 0, [], []];
    this.clickedAt = undefined;
  }

  result(): PageResult {
    const { sent, clicks, roundTrips, arrivals } = this;
    const offsets = arrivals.map((at, i) => at - i * FRAME_MS);
    const grid = offsets.toSorted((a, b) => a - b)[offsets.length >> 1] ?? 0;
    return {
      sent,
      received: arrivals.length,
      receivingMs: (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0),
      roundTrips,
      clicks,
      deviations: offsets.map((offset) => Math.abs(offset - grid)),
    };
  }

  async hangUp(): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send('{"type":"hangup"}');
    await once(this.socket, 'close');
  }

  terminate(): void {
    this.socket.terminate();
  }

  private hear(frame: Buffer): void {
    const now = performance.now();
    this.arrivals.push(now);
    this.playedMs += FRAME_MS;
    if (this.clickedAt === undefined || !isLoud(frame)) return;
    this.roundTrips.push(now - this.clickedAt);
    this.clickedAt = undefined;
  }
}

function isLoud(frame: Buffer): boolean {
  for (let i = 0; i < frame.length; i += 2) if (Math.abs(frame.readInt16LE(i)) > LOUD) return true;
  return false;
}
