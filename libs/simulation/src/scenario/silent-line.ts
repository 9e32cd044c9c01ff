import { type G711, type MediaPort, silentFrame } from '@app/telephony';
import { type Clock, Speech } from '@app/voice';

interface Timer {
  at: number;
  run: () => void;
}

/** Runs in real time, and skips time in which nothing happens: ten seconds of silence take none. */
export class SkippingClock implements Clock {
  private skippedMs = 0;
  private readonly timers = new Set<Timer>();
  private wakeUp: NodeJS.Timeout | undefined;
  private wakeAt = Infinity;

  now(): number {
    return performance.now() + this.skippedMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.now() + delayMs, run };
    this.timers.add(timer);
    this.schedule(timer.at);
    return () => void this.timers.delete(timer);
  }

  /** Skips to the next timer that is due by `limit`, and runs it. False: no timer is due, and the clock is at `limit`. */
  skip(limit: number): boolean {
    const next = Math.min(...[...this.timers].map(({ at }) => at));
    this.skippedMs += Math.max(0, Math.min(next, limit) - this.now());
    if (next > limit) return false;
    this.runDue(next);
    return true;
  }

  /** Stops all timers. */
  close(): void {
    this.timers.clear();
    clearTimeout(this.wakeUp);
  }

  private runDue(now: number): void {
    for (const timer of [...this.timers].filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)) {
      if (this.timers.delete(timer)) timer.run();
    }
  }

  /** One timer of the process serves all; most timers are cancelled before it fires. */
  private schedule(at: number): void {
    if (at >= this.wakeAt) return;
    clearTimeout(this.wakeUp);
    this.wakeAt = at;
    this.wakeUp = setTimeout(() => this.wake(), Math.max(0, at - this.now()));
  }

  private wake(): void {
    this.wakeAt = Infinity;
    this.runDue(this.now());
    for (const { at } of this.timers) this.schedule(at);
  }
}

const KEY_MS = 100;

/** The media of a simulated call: all audio is played at once, and the user is silent. */
export class SilentLine implements MediaPort {
  readonly codec: G711 = 'PCMU';
  readonly rate = 8000;
  readonly wideband = false;
  readonly queuedMs = 0;
  private readonly silence = silentFrame(this.codec);
  private frameListener: (frame: Buffer) => void = () => undefined;
  private dtmfListener: (digit: string, durationMs: number) => void = () => undefined;

  /** One frame of silence: the session checks its timers. */
  tick(): void {
    this.frameListener(this.silence);
  }

  press(digit: string): void {
    this.dtmfListener(digit, KEY_MS);
  }

  onFrame(listener: (frame: Buffer) => void): () => void {
    this.frameListener = listener;
    return () => (this.frameListener = () => undefined);
  }

  onDtmf(listener: (digit: string, durationMs: number) => void): () => void {
    this.dtmfListener = listener;
    return () => (this.dtmfListener = () => undefined);
  }

  write(_audio: Buffer, mark?: (played: boolean) => void): void {
    mark?.(true);
  }

  pausePlayout(): void {
    // Nothing is queued.
  }

  flush(): { playedMs: number; droppedMs: number } {
    return { playedMs: 0, droppedMs: 0 };
  }

  attenuate(): void {
    // A simulated call has no audio.
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  sendDtmf(): Promise<void> {
    return Promise.resolve();
  }

  pauseRecording(): void {
    // A simulated call is not recorded.
  }
}

/** A frame of silence for every sentence: a simulated call needs no synthesis. */
export const SILENT_SPEECH = new Speech({
  clip: () => Promise.resolve(new Int16Array(160)),
  program: () => Promise.resolve(new Int16Array(160)),
});
