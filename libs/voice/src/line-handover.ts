import { silentFrame, type MediaPort } from '@app/telephony';
import { pause, type Clock } from './clock.js';

/** What is still being said; a response that stands still must not keep the tool waiting. */
const LONGEST_WAIT_MS = 10_000;

/** The times in which a tool has the line: the agent is silent, and its provider hears silence. */
export class LineHandover {
  private count = 0;
  private readonly silence: Buffer;
  private waiting: (() => void)[] = [];

  /** `isQuiet`: the agent has nothing more to say. */
  constructor(
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly isQuiet: () => boolean,
  ) {
    this.silence = silentFrame(media.codec);
  }

  get active(): boolean {
    return this.count > 0;
  }

  /** What the provider hears of a frame. */
  audible(frame: Buffer): Buffer {
    return this.active ? this.silence : frame;
  }

  /** Runs `work` when the agent has finished speaking; what was heard of the call before it, is over. */
  async during<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.quiet(signal);
    this.count++;
    try {
      return await work();
    } finally {
      this.count--;
    }
  }

  /** Something has become quiet. */
  check(): void {
    if (this.waiting.length === 0 || !this.isQuiet()) return;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private async quiet(signal: AbortSignal): Promise<void> {
    const generated = new Promise<void>((resolve) => this.waiting.push(resolve));
    this.check();
    const played = generated.then(() => this.media.drained(0));
    const limit = new AbortController();
    const late = pause(this.clock, LONGEST_WAIT_MS, AbortSignal.any([signal, limit.signal]));
    try {
      await Promise.race([played, late]);
    } catch {
      // The call is over; the tool learns it by its own signal.
    } finally {
      limit.abort();
      late.catch(() => undefined);
      played.catch(() => undefined);
    }
  }
}
