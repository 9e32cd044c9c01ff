import type { Placing } from './frame-timeline.js';
import { samplesOf, silenceByte } from '../codecs/g711.js';
import { FRAME_BYTES, FRAME_MS, type G711 } from './media-port.js';
import { levelDb } from '../signals/voice-activity.js';

const SAMPLES_PER_MS = 8;
/** Audio may arrive this much later than the fastest packet and is still placed. */
const HELD_BACK_MS = 200;
export const HELD_BACK_FRAMES = HELD_BACK_MS / FRAME_MS;
/** One second of audio per write. */
export const BLOCK_FRAMES = 1_000 / FRAME_MS;
const HELD_BACK = HELD_BACK_MS * SAMPLES_PER_MS;
/** 520 ms in whole frames: the held back time, and 300 ms for a remote party that sends ahead of time. */
const WINDOW_FRAMES = 26;
const WINDOW = WINDOW_FRAMES * FRAME_BYTES;
/** Taken audio stays in the ring until its second is written. */
const SIZE = WINDOW + BLOCK_FRAMES * FRAME_BYTES;
/** The clock difference is measured every 2 s and corrected from 10 ms on. */
const MEASURED = 2_000 * SAMPLES_PER_MS;
const TOLERATED = 10 * SAMPLES_PER_MS;
/** With fewer packets the fastest one is not representative. */
const MIN_MEASURED = 25;
/** Below this level a pause may become longer or shorter. */
const QUIET_DB = -45;

/**
 * The remote party's channel of a recording. Audio is placed by the remote clock and not by its arrival, so jitter and reordering leave
 * no trace. The fastest packets of the first 200 ms define the offset of the two clocks; later changes (drift, another route) are
 * corrected in pauses only. Positions are samples since the beginning of the recording.
 */
export class RecordingChannel {
  private readonly ring: Buffer;
  private readonly silence: number;
  private readonly samples: Int16Array;
  /** Everything before this has been taken, and read. */
  private taken = 0;
  private read = 0;
  /** The offset from the remote clock to positions; undefined before the first audio of a stream. */
  private offset: number | undefined;
  /** Where the stream begins and where its last audio ends; `before` is where the stream before it ended. */
  private begin = 0;
  private end = 0;
  private before = 0;
  /** Samples between the place of the fastest packet and its arrival, since `measuredFrom`. */
  private least = Infinity;
  private measuredFrom = 0;
  private measured = 0;
  /** To be added to the offset in the next pause. */
  private due = 0;
  private wasQuiet = false;

  constructor(private readonly law: G711) {
    this.silence = silenceByte(law);
    this.samples = samplesOf(law);
    this.ring = Buffer.alloc(SIZE, this.silence);
  }

  /** The remote clock restarts. */
  restart(): void {
    this.offset = undefined;
  }

  /** `nowAt`: the current position. */
  place(at: number, audio: Buffer, placing: Placing, nowAt: number): void {
    if (placing === 'heard') this.follow(at, audio, nowAt);
    if (this.offset === undefined) return;
    const position = at + this.offset;
    if (this.fits(position, audio.length)) this.write(position, audio);
  }

  /** The next 20 ms are final. At most a second may wait for `interleave`. */
  take(): void {
    this.taken += FRAME_BYTES;
  }

  /**
   * Moves the oldest taken 20 ms to the left samples of `target`, which are the lower halves, beside the right ones of `right`. `isSilent`:
   * the left ones are silent.
   */
  interleave(target: Int32Array, at: number, right: Buffer, isSilent: boolean): void {
    const { ring, samples, silence } = this;
    // Whole frames make up the ring.
    const from = this.read % SIZE;
    if (isSilent) ring.fill(silence, from, from + FRAME_BYTES);
    for (let i = 0; i < FRAME_BYTES; i++) {
      const left = samples[ring[from + i] as number] as number;
      target[at + i] = (left & 0xffff) | ((samples[right[i] as number] as number) << 16);
    }
    ring.fill(silence, from, from + FRAME_BYTES);
    this.read += FRAME_BYTES;
  }

  /** Placed audio has not been taken yet. */
  get holdsAudio(): boolean {
    return this.end > this.taken;
  }

  private fits(position: number, samples: number): boolean {
    return position >= this.taken && position + samples <= this.taken + WINDOW;
  }

  private follow(at: number, audio: Buffer, nowAt: number): void {
    if (this.offset === undefined || !this.fits(at + this.offset, audio.length)) this.anchor(at, nowAt);
    const delay = nowAt - (at + this.offset!);
    this.least = Math.min(this.least, delay);
    this.measured++;
    if (delay < 0 && nowAt - this.begin < HELD_BACK) this.moveEarlier(-delay);
    else if (nowAt - this.measuredFrom >= MEASURED) this.measure(nowAt);
    if (this.due !== 0) this.correct(audio);
  }

  /** A stream begins at its arrival, after the audio that is already placed. */
  private anchor(at: number, nowAt: number): void {
    const earliest = Math.max(nowAt, this.taken);
    const isNear = this.end > earliest && this.end - earliest < HELD_BACK;
    const position = isNear ? this.end : earliest;
    this.before = Math.max(this.before, this.end);
    this.offset = position - at;
    this.begin = position;
    this.end = Math.max(this.end, position);
    this.least = Infinity;
    this.measured = 0;
    this.measuredFrom = nowAt;
    this.due = 0;
  }

  /** A packet was faster than all before it: the stream moves earlier, because none of it has been taken yet. */
  private moveEarlier(samples: number): void {
    const by = Math.min(samples, this.begin - Math.max(this.taken, this.before));
    if (by <= 0) return;
    for (let p = this.begin; p < this.end; p++) this.ring[(p - by) % SIZE] = this.ring[p % SIZE] as number;
    for (let p = Math.max(this.begin, this.end - by); p < this.end; p++) this.ring[p % SIZE] = this.silence;
    this.offset! -= by;
    this.begin -= by;
    this.end -= by;
    this.least = 0;
  }

  private measure(nowAt: number): void {
    const isSure = this.measured >= MIN_MEASURED;
    this.due = isSure && Math.abs(this.least) >= TOLERATED ? this.least : 0;
    this.least = Infinity;
    this.measured = 0;
    this.measuredFrom = nowAt;
  }

  /** In the second quiet packet: the overwritten audio, or the gap before it, is silence as well. */
  private correct(audio: Buffer): void {
    const isQuiet = levelDb(this.law, audio) < QUIET_DB;
    if (isQuiet && this.wasQuiet) {
      this.offset! += this.due;
      this.due = 0;
      this.least = Infinity;
    }
    this.wasQuiet = isQuiet && this.due !== 0;
  }

  private write(position: number, audio: Buffer): void {
    const from = position % SIZE;
    const untilWrap = Math.min(audio.length, SIZE - from);
    audio.copy(this.ring, from, 0, untilWrap);
    if (untilWrap < audio.length) audio.copy(this.ring, 0, untilWrap);
    this.end = Math.max(this.end, position + audio.length);
  }
}
