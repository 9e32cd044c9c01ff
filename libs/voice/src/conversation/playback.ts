import { bytesPerMs, FRAME_MS, type LineCodec, type MediaPort, silentFrame } from '@app/telephony';
import type { Clock } from '../clock.js';

/** A closing port reports the sent pieces; pieces of 100 ms keep the error of the transcript small. */
const PIECE_MS = 5 * FRAME_MS;

/** The sent part of one item of the agent's speech. Times are those of the clock. */
export interface PlayedItem {
  itemId: string;
  playedMs: number;
  generatedMs: number;
  startedAt: number;
  endedAt: number;
  /** When its first frame was sent; undefined: none was. */
  heardAt: number | undefined;
  /** When its last frame so far was sent. */
  lastSentAt: number | undefined;
  /** Audio was dropped, or the item was incomplete. */
  truncated: boolean;
}

interface Item {
  id: string;
  codec: LineCodec;
  /** The mark of all its pieces. */
  mark: (played: boolean) => void;
  /** Bytes that do not fill a frame yet. */
  rest: Buffer;
  writtenMs: number;
  playedMs: number;
  startedAt: number;
  /** Pauses since its first frame. */
  pausedMs: number;
  heardAt: number | undefined;
  lastSentAt: number | undefined;
  complete: boolean;
}

interface PlaybackListener {
  /** An item is about to be queued. */
  begins(): void;
  started(itemId: string, startedAt: number): void;
  ended(item: PlayedItem): void;
}

/**
 * The agent's outgoing audio. Counts the frames that the port really sent instead of wall-clock time: providers deliver faster
 * than real time, and a truncation by the clock cuts in the wrong place.
 */
export class Playback {
  private readonly items = new Map<string, Item>();
  /**
   * Pieces in the port that are not sent completely, in order: their items and milliseconds. An object and a closure per piece would
   * live for as long as the queue, and fill V8's old generation.
   */
  private underWay: Item[] = [];
  private underWayMs: number[] = [];
  private pausedAt: number | undefined;
  private waiting = new WaitingAudio();

  constructor(
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly listener: PlaybackListener,
  ) {}

  get busy(): boolean {
    return this.underWay.length > 0;
  }

  /** Audio of the item was queued, and it has not ended. */
  has(itemId: string): boolean {
    return this.items.has(itemId);
  }

  /** How much of an item was sent, and generated, so far. */
  progressOf(itemId: string): Pick<PlayedItem, 'playedMs' | 'generatedMs'> {
    const { playedMs = 0, writtenMs = 0 } = this.items.get(itemId) ?? {};
    return { playedMs, generatedMs: writtenMs };
  }

  /** Queues audio of any length; an incomplete frame waits for the next piece or the end of the item. */
  append(itemId: string, audio: Buffer, codec: LineCodec = this.media.codec): void {
    const item = this.items.get(itemId) ?? this.begin(itemId, codec);
    const bytes = item.rest.length > 0 ? Buffer.concat([item.rest, audio]) : audio;
    const whole = bytes.length - (bytes.length % (FRAME_MS * bytesPerMs(item.codec)));
    item.rest = whole < bytes.length ? Buffer.from(bytes.subarray(whole)) : NOTHING;
    if (whole > 0) this.write(item, bytes, whole);
  }

  /** Marks the item as complete: no more audio follows. */
  complete(itemId: string): void {
    const item = this.items.get(itemId);
    if (!item || item.complete) return;
    if (item.rest.length > 0) this.write(item, pad(item));
    item.rest = NOTHING;
    item.complete = true;
    this.settle(item);
  }

  get isPaused(): boolean {
    return this.pausedAt !== undefined;
  }

  /** Sends silence until `resume` or `interrupt`. */
  pause(): void {
    this.pausedAt ??= this.clock.now();
    this.media.pausePlayout(true);
  }

  /** Continues where `pause` stopped. */
  resume(): void {
    if (this.pausedAt === undefined) return;
    const ms = this.clock.now() - this.pausedAt;
    for (const item of this.items.values()) {
      if (item.startedAt < this.pausedAt) item.pausedMs += ms;
      else item.startedAt += ms;
    }
    this.pausedAt = undefined;
    this.media.pausePlayout(false);
  }

  /** Drops unsent audio. Returns the items that were not played to their end, in order. */
  interrupt(): PlayedItem[] {
    const { underWay, underWayMs } = this;
    this.underWay = [];
    this.underWayMs = [];
    this.pausedAt = undefined;
    const { droppedMs } = this.media.flush();
    let sentMs = underWayMs.reduce((total, ms) => total + ms, 0) - droppedMs;
    for (const [piece, item] of underWay.entries()) {
      const ms = underWayMs[piece]!;
      item.playedMs += Math.max(0, Math.min(ms, sentMs));
      sentMs -= ms;
    }
    return [...this.items.values()].map((item) => this.end(item));
  }

  private begin(itemId: string, codec: LineCodec): Item {
    this.listener.begins();
    const { queuedMs } = this.media;
    const startedAt = (this.pausedAt ?? this.clock.now()) + queuedMs;
    const item: Item = {
      id: itemId,
      codec,
      mark: (played) => this.sent(item, played),
      rest: NOTHING,
      writtenMs: 0,
      playedMs: 0,
      pausedMs: 0,
      startedAt,
      heardAt: undefined,
      lastSentAt: undefined,
      complete: false,
    };
    this.items.set(itemId, item);
    this.listener.started(itemId, this.clock.now() + queuedMs);
    return item;
  }

  private write(item: Item, audio: Buffer, length = audio.length): void {
    const { codec } = item;
    const perMs = bytesPerMs(codec);
    let end = 0;
    for (let at = 0; at < length; at = end) {
      // The first frame is a piece: its mark is the time at which the item was first heard.
      end = Math.min(length, at + perMs * (item.writtenMs === 0 ? FRAME_MS : PIECE_MS));
      const ms = (end - at) / perMs;
      item.writtenMs += ms;
      this.underWay.push(item);
      this.underWayMs.push(ms);
      this.media.write(this.waiting.copyOf(audio, at, end), item.mark, codec);
    }
  }

  /** The oldest piece of the item was sent, or the newest one dropped; those that an interruption dropped are no longer under way. */
  private sent(item: Item, played: boolean): void {
    const piece = played ? this.underWay.indexOf(item) : this.underWay.lastIndexOf(item);
    if (piece < 0) return;
    const ms = this.underWayMs[piece]!;
    this.underWay.splice(piece, 1);
    this.underWayMs.splice(piece, 1);
    if (played) {
      item.playedMs += ms;
      item.lastSentAt = this.clock.now();
      item.heardAt ??= item.lastSentAt;
    }
    this.settle(item);
  }

  private settle(item: Item): void {
    if (item.complete && !this.underWay.includes(item)) this.end(item);
  }

  private end(item: Item): PlayedItem {
    this.items.delete(item.id);
    if (this.items.size === 0) this.waiting = new WaitingAudio();
    const played: PlayedItem = {
      itemId: item.id,
      playedMs: item.playedMs,
      generatedMs: item.writtenMs,
      startedAt: item.startedAt,
      endedAt: item.startedAt + item.pausedMs + item.playedMs,
      heardAt: item.heardAt,
      lastSentAt: item.lastSentAt,
      truncated: !item.complete || item.playedMs < item.writtenMs,
    };
    this.listener.ended(played);
    return played;
  }
}

const NOTHING = Buffer.alloc(0);

const BLOCK_BYTES = 8_192;

/**
 * Copies of audio, which may wait for minutes: outside of Node's pool of small buffers, which they would keep in memory, and many in one
 * block, because a buffer with memory of its own is three objects.
 */
class WaitingAudio {
  private block = NOTHING;
  private used = 0;

  copyOf(audio: Buffer, from: number, to: number): Buffer {
    if (this.used + to - from > this.block.length) {
      this.block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, to - from));
      this.used = 0;
    }
    const at = this.used;
    this.used += audio.copy(this.block, at, from, to);
    return this.block.subarray(at, this.used);
  }
}

/** A whole frame. */
const pad = ({ rest, codec }: Item): Buffer => Buffer.concat([rest, silentFrame(codec).subarray(rest.length)]);
