import { silentFrame, type MediaPort } from '@app/telephony';
import type { AgentSpeech } from './agent-speech.js';
import { withTimeLimit, type Clock } from './clock.js';

/** For the remaining speech; a response that stalls must not keep the tool waiting. */
const LONGEST_WAIT_MS = 10_000;

/** Gives the line to a tool: while it runs, the agent is silent and its provider hears silence. */
export class LineHandover {
  private count = 0;
  private readonly silence: Buffer;
  private waiting: (() => void)[] = [];

  constructor(
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly voice: Pick<AgentSpeech, 'prepares'>,
  ) {
    this.silence = silentFrame(media.codec);
  }

  get active(): boolean {
    return this.count > 0;
  }

  /** The frame for the provider. */
  audible(frame: Buffer): Buffer {
    return this.active ? this.silence : frame;
  }

  /** Runs `work` after the agent has finished speaking. */
  async during<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.speechPlayed(signal);
    this.count++;
    try {
      return await work();
    } finally {
      this.count--;
    }
  }

  /** To be called when a response has ended. */
  check(): void {
    if (this.waiting.length === 0 || this.voice.prepares) return;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private async speechPlayed(signal: AbortSignal): Promise<void> {
    const generated = new Promise<void>((resolve) => this.waiting.push(resolve));
    this.check();
    const played = () => generated.then(() => this.media.drained(0));
    try {
      await withTimeLimit(this.clock, LONGEST_WAIT_MS, signal, played, () => undefined);
    } catch {
      // The call has ended; the tool's own signal aborts, too.
    }
  }
}
