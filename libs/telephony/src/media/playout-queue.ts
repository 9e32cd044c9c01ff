import { silenceByte, silentFrame, Volume } from './g711.js';
import { type Codec, FRAME_BYTES, FRAME_MS, type G711 } from './media-port.js';
import { fromWire, toWire, type Transcoder } from './wire-codec.js';

type Mark = (played: boolean) => void;

interface Chunk {
  audio: Buffer;
  at: number;
  mark: Mark | undefined;
}

const BYTES_PER_MS = 8;
/** Five minutes, 2.4 MB: a provider that generates audio faster than it is played must not fill the memory. */
export const MAX_QUEUED_MS = 300_000;

/** Audio waiting to be sent: bytes in order, eight per millisecond, with marks that report when a piece has been sent. */
export class PlayoutQueue {
  /** While paused, `take` returns nothing. */
  private isPaused = false;
  private readonly chunks: Chunk[] = [];
  private queuedBytes = 0;
  private playedBytes = 0;
  private marksDue: Mark[] = [];

  get isEmpty(): boolean {
    return this.chunks.length === 0;
  }

  get queuedMs(): number {
    return this.queuedBytes / BYTES_PER_MS;
  }

  /** Keeps its audio until `pause(false)` or `flush`. */
  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  /** A piece that does not fit is dropped as a whole, and its mark is called at once. */
  write(audio: Buffer, mark?: Mark): void {
    if (this.queuedMs + audio.length / BYTES_PER_MS > MAX_QUEUED_MS) return mark?.(false);
    if (this.isEmpty) this.playedBytes = 0;
    this.chunks.push({ audio, at: 0, mark });
    this.queuedBytes += audio.length;
  }

  /** Moves up to `bytes` of audio to `target` at `offset`; returns their number. Call marksReached() when they are sent. */
  take(target: Buffer, offset: number, bytes: number): number {
    if (this.isPaused) return 0;
    let taken = 0;
    for (let head = this.chunks[0]; head; head = this.chunks[0]) {
      const part = Math.min(bytes - taken, head.audio.length - head.at);
      head.audio.copy(target, offset + taken, head.at, head.at + part);
      head.at += part;
      taken += part;
      if (head.at < head.audio.length) break;
      this.chunks.shift();
      if (head.mark) this.marksDue.push(head.mark);
    }
    this.queuedBytes -= taken;
    this.playedBytes += taken;
    return taken;
  }

  marksReached(): void {
    if (this.marksDue.length === 0) return;
    const due = this.marksDue;
    this.marksDue = [];
    for (const mark of due) mark(true);
  }

  flush(): { playedMs: number; droppedMs: number } {
    const outcome = { playedMs: this.playedBytes / BYTES_PER_MS, droppedMs: this.queuedMs };
    const dropped = this.chunks.splice(0);
    this.queuedBytes = 0;
    this.playedBytes = 0;
    this.isPaused = false;
    for (const { mark } of dropped) mark?.(false);
    return outcome;
  }
}

interface Waiter {
  settleMs: number;
  leftMs: number;
  resolve: () => void;
  reject: (reason: Error) => void;
}

/** Promises that resolve when the queue is empty and some silence has been sent after it. */
export class PlayoutWaiters {
  private waiters: Waiter[] = [];

  wait(settleMs: number): Promise<void> {
    return new Promise((resolve, reject) => this.waiters.push({ settleMs, leftMs: settleMs, resolve, reject }));
  }

  /** Audio was sent: every settling time restarts; waits without one end when the queue is empty. */
  audioSent(queueIsEmpty: boolean): void {
    for (const waiter of this.waiters) waiter.leftMs = waiter.settleMs;
    if (queueIsEmpty) this.settle(0);
  }

  silenceSent(): void {
    this.settle(FRAME_MS);
  }

  /** `reason` is called once per waiter: an unused error would cost a stack trace at the end of every call. */
  fail(reason: () => Error): void {
    for (const waiter of this.waiters.splice(0)) waiter.reject(reason());
  }

  private settle(ms: number): void {
    if (this.waiters.length === 0) return;
    for (const waiter of this.waiters) waiter.leftMs -= ms;
    const done = this.waiters.filter((waiter) => waiter.leftMs <= 0);
    this.waiters = this.waiters.filter((waiter) => waiter.leftMs > 0);
    for (const waiter of done) waiter.resolve();
  }
}

/** Outgoing audio in the codec of the wire: audio of the port, else payloads of the bridged leg, else silence. */
export class OutgoingAudio {
  /** Audio of the port, in its law. */
  readonly queue = new PlayoutQueue();
  /** In the codec of the wire; sent as they are. */
  readonly payloads = new PlayoutQueue();
  /** Audible tones for a remote party without telephone events; sent before everything else. */
  readonly tones = new PlayoutQueue();
  /** Of the port's audio. */
  readonly volume = new Volume();
  /** Whether the last frame contained audio of the port. */
  played = false;
  private law: G711 = 'PCMU';
  private codec: Codec = 'PCMU';
  /** Undefined when the wire is in the port's law. */
  private encoder: Transcoder | undefined;
  private decoder: Transcoder | undefined;
  private readonly frame = Buffer.alloc(FRAME_BYTES);

  /** Sets the codec from now on; payloads of an earlier codec are dropped. */
  setFormat(law: G711, codec: Codec): void {
    if (law === this.law && codec === this.codec) return;
    this.payloads.flush();
    this.encoder = law === codec ? undefined : toWire(law, codec);
    this.decoder = undefined;
    this.law = law;
    this.codec = codec;
  }

  /** Of the port's audio. */
  pause(isPaused: boolean): void {
    this.queue.pause(isPaused);
    if (!isPaused) this.volume.rise();
  }

  /** Writes the next 20 ms to `target`, 160 bytes. Returns them in the port's law; the buffer is valid until the next call. */
  next(target: Buffer): Buffer {
    if (!this.tones.isEmpty) return this.takeTones(target);
    const taken = this.queue.take(this.frame, 0, FRAME_BYTES);
    this.played = taken > 0;
    if (taken === 0 && !this.payloads.isEmpty) return this.takePayload(target);
    this.volume.apply(this.law, this.frame, taken);
    this.frame.fill(silenceByte(this.law), taken);
    this.encoded(this.frame).copy(target);
    return this.frame;
  }

  private takeTones(target: Buffer): Buffer {
    this.played = false;
    const taken = this.tones.take(this.frame, 0, FRAME_BYTES);
    this.frame.fill(silenceByte(this.law), taken);
    this.encoded(this.frame).copy(target);
    return this.frame;
  }

  private takePayload(target: Buffer): Buffer {
    const taken = this.payloads.take(target, 0, FRAME_BYTES);
    if (taken < FRAME_BYTES) this.encoded(silentFrame(this.law).subarray(taken)).copy(target, taken);
    this.decoder ??= fromWire(this.codec, this.law);
    this.decoder.convert(target).copy(this.frame);
    return this.frame;
  }

  private encoded(audio: Buffer): Buffer {
    return this.encoder ? this.encoder.convert(audio) : audio;
  }
}
