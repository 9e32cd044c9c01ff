import { pause, type Clock } from '../../../clock.js';

/** Audio is played in real time, so that a longer wait than this is looked at again. */
const LOOK_AGAIN_MS = 100;

/** The agent's speech as the user hears it, estimated from the delivered audio and the time. */
export class Playhead {
  private endsAt = -Infinity;
  private heldAt: number | undefined;
  /** The beginnings of the first and of the latest continuous audio. */
  private firstStartedAt: number | undefined;
  private startedAt = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** Audio that is delivered and not played yet, in milliseconds. */
  get remainingMs(): number {
    return Math.max(0, this.endsAt - (this.heldAt ?? this.clock.now()));
  }

  /** How long ago the first words of the agent began; undefined: there are none yet, or others came after them. */
  get firstWordsMs(): number | undefined {
    return this.firstStartedAt === this.startedAt ? this.clock.now() - this.startedAt : undefined;
  }

  /** When the audio ends or has ended, by the clock. */
  get end(): number {
    return this.endsAt;
  }

  delivered(audioMs: number): void {
    const now = this.clock.now();
    if (this.remainingMs === 0) this.startedAt = this.endsAt = now;
    this.firstStartedAt ??= now;
    this.endsAt += audioMs;
  }

  /** The session holds the audio until it is known whether the user interrupts. */
  hold(): void {
    this.heldAt ??= this.clock.now();
  }

  release(): void {
    if (this.heldAt === undefined) return;
    if (this.remainingMs > 0) this.endsAt += this.clock.now() - this.heldAt;
    this.heldAt = undefined;
  }

  /** Unplayed audio is dropped. */
  cut(): void {
    this.heldAt = undefined;
    this.endsAt = Math.min(this.endsAt, this.clock.now());
  }

  /** Waits until at most this much is unplayed. Rejects with the reason of the signal. */
  async until(remainingMs: number, signal: AbortSignal): Promise<void> {
    for (let over = this.remainingMs - remainingMs; over > 0; over = this.remainingMs - remainingMs)
      await pause(this.clock, Math.min(over, LOOK_AGAIN_MS), signal);
  }
}
