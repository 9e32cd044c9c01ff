import { bytesPerMs, type G711, type LineCodec, type MediaPort, type RecordingPause } from '@app/telephony';
import type { Clock } from '../src/clock.js';

const FRAME_BYTES = 160;
const FRAME_MS = 20;

interface Timer {
  at: number;
  run: () => void;
}

/** A telephone line with a virtual clock: each step takes 20 ms, sends one frame and receives one. */
export class SteppedLine implements MediaPort, Clock {
  readonly codec: G711 = 'PCMU';
  readonly rate = 8000;
  wideband = false;
  /** All sent frames, silence included. */
  readonly sent: Buffer[] = [];
  readonly tones: string[] = [];
  /** Sent frames of the agent. */
  agentFrames = 0;
  /** The current attenuation of the agent's audio, in dB. */
  attenuation = 0;
  closed = false;
  readonly recordingPausedBy = new Set<RecordingPause>();
  private time = 0;
  private timers: Timer[] = [];
  private queue: { frame: Buffer; mark?: (played: boolean) => void }[] = [];
  private waiters: { left: number; resolve: () => void; reject: (error: Error) => void }[] = [];
  private frameListener: (frame: Buffer, wide?: Buffer) => void = () => undefined;
  private dtmfListener: (digit: string, durationMs: number) => void = () => undefined;
  private playedFrames = 0;
  private isPaused = false;

  now(): number {
    return this.time;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.time + delayMs, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  get pendingTimers(): number {
    return this.timers.length;
  }

  onFrame(listener: (frame: Buffer, wide?: Buffer) => void): () => void {
    this.frameListener = listener;
    return () => (this.frameListener = () => undefined);
  }

  onDtmf(listener: (digit: string, durationMs: number) => void): () => void {
    this.dtmfListener = listener;
    return () => (this.dtmfListener = () => undefined);
  }

  write(audio: Buffer, mark?: (played: boolean) => void, codec: LineCodec = this.codec): void {
    const size = FRAME_MS * bytesPerMs(codec);
    if (audio.length % size !== 0) throw new Error(`${audio.length} bytes are no whole frames`);
    if (this.queue.length === 0) this.playedFrames = 0;
    for (let at = 0; at < audio.length; at += size) {
      const last = at + size >= audio.length;
      this.queue.push({ frame: audio.subarray(at, at + size), mark: last ? mark : undefined });
    }
  }

  pausePlayout(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  flush(): { playedMs: number; droppedMs: number } {
    const dropped = this.queue;
    this.queue = [];
    const playedMs = this.playedFrames * FRAME_MS;
    this.playedFrames = 0;
    this.isPaused = false;
    dropped.forEach(({ mark }) => mark?.(false));
    return { playedMs, droppedMs: dropped.length * FRAME_MS };
  }

  get queuedMs(): number {
    return this.queue.length * FRAME_MS;
  }

  attenuate(db: number): void {
    this.attenuation = db;
  }

  drained(settleMs: number): Promise<void> {
    return new Promise((resolve, reject) =>
      this.waiters.push({ left: Math.ceil(settleMs / FRAME_MS), resolve, reject }),
    );
  }

  async sendDtmf(digits: string): Promise<void> {
    this.tones.push(digits);
  }

  pauseRecording(isPaused: boolean, by: RecordingPause = 'command'): void {
    if (isPaused) this.recordingPausedBy.add(by);
    else this.recordingPausedBy.delete(by);
  }

  press(digit: string): void {
    this.dtmfListener(digit, 100);
  }

  close(): void {
    this.closed = true;
    this.flush();
    this.waiters.forEach(({ reject }) => reject(new Error('closed')));
  }

  /** Advances the clock by `ms`. The user is silent, or says `audio` from its beginning. */
  async run(ms: number, audio?: Buffer): Promise<void> {
    for (let done = 0; done < ms && !this.closed; done += FRAME_MS) {
      const from = (done / FRAME_MS) * FRAME_BYTES;
      const frame = audio?.subarray(from, from + FRAME_BYTES);
      await this.step(frame?.length === FRAME_BYTES ? frame : SILENT_FRAME);
    }
  }

  /** Advances the clock until `condition` holds; fails after `limitMs` of virtual time. */
  async until(condition: () => boolean, limitMs: number): Promise<void> {
    const limit = this.time + limitMs;
    while (!condition()) {
      if (this.time >= limit) throw new Error(`Still waiting after ${limitMs} ms of the call.`);
      await this.step(SILENT_FRAME);
    }
  }

  /** One frame of a wideband call. */
  hearWide(narrow: Buffer, wide: Buffer): Promise<void> {
    return this.step(narrow, wide);
  }

  private async step(heard: Buffer, wide?: Buffer): Promise<void> {
    // Promises and synthesis started by the last step run first.
    await new Promise((resolve) => setImmediate(resolve));
    this.time += FRAME_MS;
    this.sendOne();
    for (const timer of this.timers.filter(({ at }) => at <= this.time)) {
      this.timers = this.timers.filter((other) => other !== timer);
      timer.run();
    }
    this.frameListener(heard, wide);
  }

  private sendOne(): void {
    const next = this.isPaused ? undefined : this.queue.shift();
    this.sent.push(next?.frame ?? SILENT_FRAME);
    if (next) {
      this.playedFrames++;
      this.agentFrames++;
    }
    next?.mark?.(true);
    if (next || this.queue.length > 0) return;
    for (const waiter of this.waiters) if (--waiter.left <= 0) waiter.resolve();
    this.waiters = this.waiters.filter((waiter) => waiter.left > 0);
  }
}

export const SILENT_FRAME = Buffer.alloc(FRAME_BYTES, 0xff);
