import { FRAME_MS, type MediaPort, VoiceActivity } from '@app/telephony';

/** Longer than the pauses inside a sentence. */
const UTTERANCE_END_MS = 600;

interface Waiter {
  isOver: () => boolean;
  resolve: () => void;
  reject: (reason: Error) => void;
}

/** Follows the remote party's voice. Its clock is the audio (a frame every 20 ms, also in silence), so it needs no timers. */
export class VadListener {
  private readonly activity: VoiceActivity;
  private clockMs = 0;
  private waiters: Waiter[] = [];
  /** An utterance has ended since the last wait. */
  private unanswered = false;
  private closed: Error | undefined;

  /** `onUtterance` gets the length and the beginning (on the listener's clock) of each utterance when it ends. */
  constructor(
    port: MediaPort,
    private readonly onUtterance: (spokenMs: number, startedMs: number) => void,
  ) {
    this.activity = new VoiceActivity(port.codec, { stopMs: UTTERANCE_END_MS });
    port.onFrame((frame) => this.hear(frame));
  }

  /** Milliseconds of audio since the answer. */
  get nowMs(): number {
    return this.clockMs;
  }

  /** Waits for the end of the next utterance, or takes an utterance that has ended already. False after `limitMs` without speech. */
  async utterance(limitMs: number): Promise<boolean> {
    const until = this.clockMs + limitMs;
    await this.until(() => this.unanswered || (this.clockMs >= until && !this.activity.speaking));
    const heard = this.unanswered;
    this.unanswered = false;
    return heard;
  }

  /** Waits until the remote party has been silent for `ms` from now on, `limitMs` at most. */
  async quiet(ms: number, limitMs: number): Promise<void> {
    const from = this.clockMs;
    const quietMs = (): number => Math.min(this.activity.silenceMs, this.clockMs - from);
    await this.until(() => quietMs() >= ms || this.clockMs - from >= limitMs);
  }

  async pause(ms: number): Promise<void> {
    const until = this.clockMs + ms;
    await this.until(() => this.clockMs >= until);
  }

  /** The call is over: every wait rejects, and a current utterance counts as well. */
  close(reason: Error): void {
    this.closed = reason;
    const { speaking, speechMs } = this.activity;
    if (speaking) this.onUtterance(speechMs, this.clockMs - speechMs);
    for (const waiter of this.waiters.splice(0)) waiter.reject(reason);
  }

  private hear(frame: Buffer): void {
    this.clockMs += FRAME_MS;
    const event = this.activity.push(frame);
    if (event?.type === 'speech-stop') {
      this.unanswered = true;
      this.onUtterance(event.spokenMs, event.atMs - event.spokenMs);
    }
    const over = this.waiters.filter((waiter) => waiter.isOver());
    if (over.length === 0) return;
    this.waiters = this.waiters.filter((waiter) => !over.includes(waiter));
    for (const waiter of over) waiter.resolve();
  }

  private until(isOver: () => boolean): Promise<void> {
    if (this.closed) return Promise.reject(this.closed);
    if (isOver()) return Promise.resolve();
    return new Promise((resolve, reject) => this.waiters.push({ isOver, resolve, reject }));
  }
}
