import { decode, encode, silenceByte, silentFrame, Volume } from '../codecs/g711.js';
import {
  bytesPerMs,
  FRAME_BYTES,
  FRAME_MS,
  frameBytesOf,
  type G711,
  isWideband,
  type LineCodec,
  type WireCodec,
} from './media-port.js';
import {
  fromWire,
  Narrowing,
  pcmBytes,
  pcmSamples,
  ToG722,
  ToL16,
  toWire,
  type Transcoder,
  type WidebandEncoder,
} from '../codecs/wire-codec.js';

type Mark = (played: boolean) => void;

interface Chunk {
  audio: Buffer;
  /** In bytes. */
  at: number;
  /** Bytes per sample of the 8 kHz clock: 1 of G.711 and wire payloads, 4 of L16. */
  width: number;
  mark: Mark | undefined;
}

const SAMPLES_PER_MS = 8;
const WIDE = bytesPerMs('L16') / SAMPLES_PER_MS;

/** Converts audio of the other width. Both buffers have the same duration. */
type Convert = (audio: Buffer, target: Buffer) => void;
/** Five minutes, 2.4 MB: a provider that generates audio faster than it is played must not fill the memory. */
export const MAX_QUEUED_MS = 300_000;

/**
 * Audio waiting to be sent, in order, with marks that report when a piece has been sent. Counts samples of the 8 kHz clock, whatever the
 * format of a piece is; pieces are converted to the format of the queue when they are taken.
 */
export class PlayoutQueue {
  /** While paused, `take` returns nothing. */
  private isPaused = false;
  private readonly chunks: Chunk[] = [];
  private queuedSamples = 0;
  private playedSamples = 0;
  private marksDue: Mark[] = [];
  private width = 1;
  private convert: Convert | undefined;

  get isEmpty(): boolean {
    return this.chunks.length === 0;
  }

  get queuedMs(): number {
    return this.queuedSamples / SAMPLES_PER_MS;
  }

  /** The format of `take`; `convert` converts pieces of the other one. */
  setFormat(isWide: boolean, convert: Convert): void {
    this.width = isWide ? WIDE : 1;
    this.convert = convert;
  }

  /** Keeps its audio until `pause(false)` or `flush`. */
  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  /** A piece that does not fit is dropped as a whole, and its mark is called at once. */
  write(audio: Buffer, mark?: Mark, codec?: LineCodec): void {
    const width = codec === 'L16' ? WIDE : 1;
    const samples = Math.floor(audio.length / width);
    if (this.queuedMs + samples / SAMPLES_PER_MS > MAX_QUEUED_MS) return mark?.(false);
    if (this.isEmpty) this.playedSamples = 0;
    const whole = samples * width;
    this.chunks.push({ audio: whole === audio.length ? audio : audio.subarray(0, whole), at: 0, width, mark });
    this.queuedSamples += samples;
  }

  /** Moves up to `samples` of audio to `target` at sample `offset`; returns their number. Call marksReached() when they are sent. */
  take(target: Buffer, offset: number, samples: number): number {
    if (this.isPaused) return 0;
    let taken = 0;
    for (let head = this.chunks[0]; head; head = this.chunks[0]) {
      const part = Math.min(samples - taken, (head.audio.length - head.at) / head.width);
      this.move(head, part, target, offset + taken);
      taken += part;
      if (head.at < head.audio.length) break;
      this.chunks.shift();
      if (head.mark) this.marksDue.push(head.mark);
    }
    this.queuedSamples -= taken;
    this.playedSamples += taken;
    return taken;
  }

  /** `deliver`: takes the marks instead. */
  marksReached(deliver?: (mark: Mark) => void): void {
    if (this.marksDue.length === 0) return;
    const due = this.marksDue;
    this.marksDue = [];
    for (const mark of due) {
      if (deliver) deliver(mark);
      else mark(true);
    }
  }

  flush(): { playedMs: number; droppedMs: number } {
    const outcome = { playedMs: this.playedSamples / SAMPLES_PER_MS, droppedMs: this.queuedMs };
    const dropped = this.chunks.splice(0);
    this.queuedSamples = 0;
    this.playedSamples = 0;
    this.isPaused = false;
    for (const { mark } of dropped) mark?.(false);
    return outcome;
  }

  private move(from: Chunk, samples: number, target: Buffer, at: number): void {
    const end = from.at + samples * from.width;
    const { width } = this;
    if (from.width === width) from.audio.copy(target, at * width, from.at, end);
    else this.convert?.(from.audio.subarray(from.at, end), target.subarray(at * width, (at + samples) * width));
    from.at = end;
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
  /** Changes 20 ms of the port before they are encoded: 160 samples, or 320 on a wideband wire. */
  mix: ((samples: Int16Array) => void) | undefined;
  /** Audio of the port in the last frame, in samples of the 8 kHz clock. */
  playedSamples = 0;
  /** A person who speaks beside the audio of the port, or of the bridged leg. */
  added: { mix(samples: Int16Array): void } | undefined;
  /** The last frame at 16 kHz, when it was made at that rate; valid until the next one. */
  sentWide: Int16Array | undefined;
  private law: G711 = 'PCMU';
  private codec: WireCodec = 'PCMU';
  /** Undefined when the wire is in the port's law. */
  private encoder: Transcoder | undefined;
  private decoder: Transcoder | undefined;
  private ownFrame: Buffer | undefined;
  private wideband: WidebandSender | undefined;

  constructor() {
    this.queue.setFormat(false, narrowing(this.law));
  }

  /** Allocated on first use: most calls send what is in the queue. */
  private get frame(): Buffer {
    return (this.ownFrame ??= Buffer.alloc(FRAME_BYTES));
  }

  /** Whether the last frame contained audio of the port. */
  get played(): boolean {
    return this.playedSamples > 0;
  }

  /** Sets the codec from now on; payloads of an earlier codec are dropped. */
  setFormat(law: G711, codec: WireCodec): void {
    if (law === this.law && codec === this.codec) return;
    this.payloads.flush();
    this.wideband = isWideband(codec) ? new WidebandSender(law, codec) : undefined;
    this.encoder = this.wideband?.encoder ?? (law === codec ? undefined : toWire(law, codec));
    this.decoder = undefined;
    this.law = law;
    this.codec = codec;
    // Payloads of one queue have one width.
    this.payloads.setFormat(codec === 'L16', narrowing(law));
    const { wideband } = this;
    this.queue.setFormat(wideband !== undefined, wideband ? (...pair) => wideband.widen(...pair) : narrowing(law));
  }

  /** Of the port's audio. */
  pause(isPaused: boolean): void {
    this.queue.pause(isPaused);
    if (!isPaused) this.volume.rise();
  }

  /**
   * Writes the next 20 ms to `target`, 160 bytes, or 640 of L16. Returns them in the port's law: `target` itself when the wire has that law, otherwise a
   * buffer that is valid until the next call. Without `isRecorded` that is not computed for wideband audio.
   */
  next(target: Buffer, isRecorded = true): Buffer {
    this.sentWide = undefined;
    if (!this.tones.isEmpty) return this.takeTones(target);
    const { wideband, encoder } = this;
    const frame = encoder ? this.frame : target;
    const taken = this.queue.take(wideband?.frame ?? frame, 0, FRAME_BYTES);
    this.playedSamples = taken;
    if (taken === 0 && !this.payloads.isEmpty) return this.takePayload(target);
    if (wideband) {
      wideband.send(target, taken, this.volume, this.mixing);
      this.sentWide = wideband.samples;
      return isRecorded ? wideband.narrowed() : this.frame;
    }
    this.volume.apply(this.law, frame, taken);
    if (taken < FRAME_BYTES) frame.fill(silenceByte(this.law), taken);
    if (this.mixing) this.mixInto(frame, this.mixing);
    encoder?.convert(frame).copy(target);
    return frame;
  }

  private get mixing(): ((samples: Int16Array) => void) | undefined {
    const { mix, added } = this;
    if (!added) return mix;
    return (samples) => {
      mix?.(samples);
      added.mix(samples);
    };
  }

  private mixInto(frame: Buffer, mix: (samples: Int16Array) => void): void {
    const samples = decode(this.law, frame);
    mix(samples);
    encode(this.law, samples).copy(frame);
  }

  private takeTones(target: Buffer): Buffer {
    this.playedSamples = 0;
    const taken = this.tones.take(this.frame, 0, FRAME_BYTES);
    this.frame.fill(silenceByte(this.law), taken);
    this.encoded(this.frame).copy(target);
    return this.frame;
  }

  private takePayload(target: Buffer): Buffer {
    const taken = this.payloads.take(target, 0, FRAME_BYTES);
    const width = frameBytesOf(this.codec) / FRAME_BYTES;
    if (taken < FRAME_BYTES) this.encoded(silentFrame(this.law).subarray(taken)).copy(target, taken * width);
    this.decoder ??= fromWire(this.codec, this.law);
    this.decoder.convert(target).copy(this.frame);
    if (this.added) {
      this.mixInto(this.frame, (samples) => this.added?.mix(samples));
      this.encoded(this.frame).copy(target);
    }
    return this.frame;
  }

  private encoded(audio: Buffer): Buffer {
    return this.encoder ? this.encoder.convert(audio) : audio;
  }
}

/** L16 pieces on a narrowband wire. */
export function narrowing(law: G711): Convert {
  const stream = new Narrowing(law);
  return (audio, target) => void stream.convert(pcmSamples(audio)).copy(target);
}

/** A frame at 16 kHz on its way to a wideband wire: L16 as it is, audio of the port's law with its rate doubled. */
class WidebandSender {
  readonly encoder: WidebandEncoder;
  readonly samples = new Int16Array(2 * FRAME_BYTES);
  readonly frame = pcmBytes(this.samples);
  private readonly recorded: Narrowing;
  /** The filter of the doubled rate still holds audio. */
  private hasTail = false;

  constructor(
    private readonly law: G711,
    codec: WireCodec,
  ) {
    this.encoder = codec === 'L16' ? new ToL16(law) : new ToG722(law);
    this.recorded = new Narrowing(law);
  }

  widen(audio: Buffer, target: Buffer): void {
    this.encoder.widen(audio, pcmSamples(target));
    this.hasTail = true;
  }

  /** The first `taken` samples of the 8 kHz clock are audio, the rest is silence. */
  send(target: Buffer, taken: number, volume: Volume, mix?: (samples: Int16Array) => void): void {
    this.volumeAndSilence(taken, volume);
    mix?.(this.samples);
    this.encoder.encode(this.samples, target);
  }

  /** The sent frame in the port's law. */
  narrowed(): Buffer {
    return this.recorded.convert(this.samples);
  }

  private volumeAndSilence(taken: number, volume: Volume): void {
    volume.applyTo(this.samples, 2 * taken);
    if (taken === FRAME_BYTES) return;
    if (this.hasTail) this.encoder.widen(silentFrame(this.law).subarray(taken), this.samples.subarray(2 * taken));
    else this.samples.fill(0, 2 * taken);
    this.hasTail = false;
  }
}
