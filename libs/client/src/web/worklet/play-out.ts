import { Concealment } from './concealment.js';
import { FRAME_SAMPLES, WIRE_RATE } from './frame-slicer.js';
import { Resampler } from './resampler.js';

const MS = WIRE_RATE / 1000;

/** Bounds of the buffer, measured just after a frame has arrived. */
const MIN_TARGET = 60 * MS;
const MAX_TARGET = 200 * MS;
/** A buffer that falls below this was nearly too small. */
const LOW = 10 * MS;
/** A buffer that stays above this for SHRINK_AFTER is larger than it must be. */
const AMPLE = 40 * MS;
const SHRINK_AFTER = 10_000 * MS;
const GROW_STEP = 20 * MS;
const SHRINK_STEP = 10 * MS;
/** A missing frame that comes later than this was not late: the service had paused. */
const PAUSE = 1000 * MS;
/** The level of the buffer is averaged over this time. */
const AVERAGED = 1000 * MS;
/** Play-out is 0.5 % faster for an excess of this much, and at most 1 %: nobody hears it in speech. */
const CORRECTED = 40 * MS;
const CORRECTION = 0.005;
const MAX_CORRECTION = 0.01;
/** Frames of silence are skipped or added when the level is off by more than one frame. */
const SILENT_PEAK = 32;
/** Older audio is skipped. Reached only when a stalled connection delivers everything at once. */
const MAX_QUEUED = 10_000 * MS;
/** How long a missing voice is continued, and how long one that was cleared. */
const CONCEALED = 60 * MS;
const CLEARED = 5 * MS;
/** Missing audio is cross-faded with what follows. */
const BLEND = 5 * MS;
const REPORT_EVERY = 100 * MS;
/** Blocks whose positions are kept, for outputs that are heard up to 1.3 s later (at 48 kHz). */
const KEPT_BLOCKS = 512;

/** The state of the play-out, every 100 ms. */
export interface PlayOutReport {
  /** Audio of the service that has been heard, in milliseconds since the start. Cleared audio does not count. */
  playedMs: number;
  bufferedMs: number;
  targetMs: number;
  /** Time in which audio was missing and concealed, since the start. */
  missingMs: number;
  /** Largest amplitude of each channel since the last report, 0 to 1. */
  peaks: number[];
}

/**
 * Buffers frames of 20 ms at 16 kHz and plays them at the rate of the sound card. The buffer grows when frames come late and shrinks when
 * they come evenly. A sound card whose clock is not that of the service, and a backlog, are made up by playing up to 1 % faster or slower,
 * and by silent frames that are skipped or added. All lengths are samples of the connection.
 */
export class PlayOut {
  private readonly channels: Channel[];
  private queue: Int16Array[] = [];
  private queued = 0;
  private frame: Int16Array | undefined;
  private offset = 0;

  private playing = false;
  /** Samples since the first frame has waited, or since the buffer ran empty. */
  private waited = 0;
  private target = MIN_TARGET;
  private average = MIN_TARGET;
  private lowest = MAX_TARGET;
  private lowestFor = 0;
  /** The buffer ran empty within a sound, and no frame has come since. */
  private starving = false;
  private lastWasSilent = true;
  private added = 0;
  private blended = BLEND;

  private consumed = 0;
  private missing = 0;
  private readonly positions = new Float64Array(KEPT_BLOCKS);
  private block = 0;
  private sinceReport = 0;

  constructor(
    private readonly rate: number,
    channels: number,
    private readonly report: (report: PlayOutReport) => void,
  ) {
    this.channels = Array.from({ length: channels }, () => new Channel(rate));
  }

  /** Delay of the output behind `render`, in seconds: of the sound card, of a wireless headset. */
  latency = 0;

  /** A frame has arrived, channels interleaved. */
  push(frame: Int16Array): void {
    if (this.starving) this.growFor(this.waited);
    if (this.queued === 0 && !this.playing) this.waited = 0;
    this.queue.push(frame);
    this.queued += this.lengthOf(frame);
    while (this.queued > MAX_QUEUED) this.skipFrame();
  }

  /** Drops everything that has not been played. */
  clear(): void {
    if (this.playing) for (const channel of this.channels) channel.concealment.begin(CLEARED);
    this.queue = [];
    this.queued = 0;
    this.frame = undefined;
    this.playing = false;
    this.starving = false;
    this.waited = 0;
  }

  /** Writes the next samples of each channel, at the rate of the sound card. */
  render(outputs: Float32Array[]): void {
    const length = outputs[0]!.length;
    const speedUp = this.playing ? this.correction() : 0;
    for (const channel of this.channels) channel.resampler.speedUp = speedUp;
    const [first] = this.channels;
    for (let at = 0; at < length; at += 1) {
      while (first!.resampler.isHungry) this.advance();
      this.channels.forEach((channel, index) => (outputs[index]![at] = channel.pull()));
    }
    this.positions[this.block % KEPT_BLOCKS] = this.consumed;
    this.block += 1;
    this.sinceReport += (length * WIRE_RATE) / this.rate;
    if (this.sinceReport >= REPORT_EVERY) this.sendReport(length);
  }

  /** Audio that waits, in samples of each channel. */
  private get level(): number {
    return this.queued + (this.frame ? this.lengthOf(this.frame) - this.offset : 0);
  }

  /** The next sample of each channel goes to its resampler: one of the service, a concealed one, or silence. */
  private advance(): void {
    this.waited += 1;
    if (this.added > 0) {
      this.added -= 1;
      for (const channel of this.channels) channel.resampler.push(0);
      return;
    }
    if (!this.playing && this.queued > 0 && (this.queued >= this.target || this.waited >= this.target)) this.start();
    if (this.playing && !this.frame) this.nextFrame();
    if (this.added > 0) return this.advance();
    if (!this.playing) return this.conceal();
    this.play();
  }

  private start(): void {
    this.playing = true;
    this.starving = false;
    this.average = Math.max(this.level, this.target) - FRAME_SAMPLES / 2;
    [this.lowest, this.lowestFor] = [MAX_TARGET, 0];
    this.blended = 0;
  }

  /** Takes the next frame; skips or adds one of silence if the level is off; begins to conceal if there is none. */
  private nextFrame(): void {
    while (this.isTooFull() && this.isSilent(this.queue[0]!)) {
      this.skipFrame();
      this.average -= FRAME_SAMPLES;
    }
    const next = this.queue[0];
    if (!next) return this.runEmpty();
    if (this.isTooEmpty() && this.isSilent(next)) {
      this.added = FRAME_SAMPLES;
      this.average += FRAME_SAMPLES;
      return;
    }
    this.frame = this.takeFrame();
    this.offset = 0;
  }

  private takeFrame(): Int16Array {
    const frame = this.queue.shift()!;
    this.queued -= this.lengthOf(frame);
    this.lastWasSilent = this.isSilent(frame);
    return frame;
  }

  private skipFrame(): void {
    this.consumed += this.lengthOf(this.takeFrame());
  }

  private runEmpty(): void {
    this.playing = false;
    this.waited = 0;
    // After silence a pause of the service is more likely than a late frame.
    this.starving = !this.lastWasSilent;
    for (const channel of this.channels) channel.concealment.begin(CONCEALED);
  }

  private play(): void {
    const frame = this.frame!;
    const share = this.blended < BLEND ? this.blended / BLEND : 1;
    this.channels.forEach((channel, index) => {
      channel.play(frame[this.offset * this.channels.length + index]! / 32_768, share);
    });
    if (share < 1) this.blended += 1;
    this.offset += 1;
    this.consumed += 1;
    if (this.offset === this.lengthOf(frame)) this.frame = undefined;
    this.watchLevel();
  }

  private conceal(): void {
    if (this.starving) this.missing += 1;
    for (const channel of this.channels) channel.resampler.push(channel.concealment.next());
  }

  /** After each sample that was played: adapts the size of the buffer. */
  private watchLevel(): void {
    const { level } = this;
    this.average += (level - this.average) / AVERAGED;
    this.lowest = Math.min(this.lowest, level);
    this.lowestFor += 1;
    if (this.lowest < LOW && this.queued > 0) {
      this.growBy(GROW_STEP);
    } else if (this.lowestFor >= SHRINK_AFTER) {
      if (this.lowest >= AMPLE) {
        const step = Math.max(SHRINK_STEP, (this.lowest - AMPLE) / 2);
        this.target = Math.max(MIN_TARGET, this.target - step);
      }
      [this.lowest, this.lowestFor] = [MAX_TARGET, 0];
    }
  }

  /** A frame came this much too late. */
  private growFor(late: number): void {
    this.starving = false;
    if (late < PAUSE) this.growBy(late + LOW);
  }

  private growBy(samples: number): void {
    this.target = Math.min(MAX_TARGET, this.target + samples);
    [this.lowest, this.lowestFor] = [MAX_TARGET, 0];
  }

  /** The average level of a buffer that is at its target just after a frame has arrived. */
  private get excess(): number {
    return this.average - (this.target - FRAME_SAMPLES / 2);
  }

  private correction(): number {
    const wanted = (this.excess / CORRECTED) * CORRECTION;
    return Math.max(-MAX_CORRECTION, Math.min(MAX_CORRECTION, wanted));
  }

  private isTooFull(): boolean {
    return this.excess > FRAME_SAMPLES && this.queued > this.target;
  }

  private isTooEmpty(): boolean {
    return this.excess < -FRAME_SAMPLES && this.queued < this.target;
  }

  private isSilent(frame: Int16Array): boolean {
    return frame.every((sample) => Math.abs(sample) <= SILENT_PEAK);
  }

  private lengthOf(frame: Int16Array): number {
    return frame.length / this.channels.length;
  }

  private sendReport(blockLength: number): void {
    this.sinceReport -= REPORT_EVERY;
    const blocks = Math.min(KEPT_BLOCKS, this.block) - 1;
    const delay = this.latency + this.channels[0]!.resampler.delay / WIRE_RATE;
    const earlier = Math.min(blocks, Math.round((delay * this.rate) / blockLength));
    const heard = this.positions[(this.block - 1 - earlier) % KEPT_BLOCKS]!;
    this.report({
      playedMs: Math.round(heard / MS),
      bufferedMs: Math.round(this.level / MS),
      targetMs: Math.round(this.target / MS),
      missingMs: Math.round(this.missing / MS),
      peaks: this.channels.map((channel) => channel.takePeak()),
    });
  }
}

class Channel {
  readonly resampler: Resampler;
  readonly concealment = new Concealment();
  private peak = 0;

  constructor(rate: number) {
    this.resampler = new Resampler(WIRE_RATE, rate);
  }

  /** `share` below 1: the sample is mixed with the end of the concealed voice. */
  play(sample: number, share: number): void {
    this.concealment.remember(sample);
    this.resampler.push(share < 1 ? share * sample + (1 - share) * this.concealment.next() : sample);
  }

  pull(): number {
    const sample = this.resampler.pull();
    this.peak = Math.max(this.peak, Math.abs(sample));
    return sample;
  }

  takePeak(): number {
    const { peak } = this;
    this.peak = 0;
    return Math.min(1, peak);
  }
}
