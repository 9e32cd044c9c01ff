import type { Clock } from './clock.js';

export interface IdleSettings {
  /** Silence of both sides before the agent asks, and between two such questions. */
  afterMs: number;
  /** Questions before the agent gives up. */
  prompts: number;
}

export const DEFAULT_IDLE: IdleSettings = { afterMs: 10_000, prompts: 2 };

interface IdleListener {
  prompt(count: number): void;
  giveUp(): void;
}

/** Measures the silence in which nobody speaks and nothing is being done. */
export class IdleClock {
  private prompted = 0;
  private cancelTimer: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly settings: IdleSettings,
    private readonly listener: IdleListener,
  ) {}

  /** Tell it whenever that may have changed: `busy` while audio plays, the callee speaks, a tool or a response runs. */
  update(busy: boolean): void {
    if (busy) return this.close();
    this.cancelTimer ??= this.clock.after(this.settings.afterMs, () => this.fire());
  }

  /** The callee gave a sign of life: counting starts afresh. */
  calleeActed(): void {
    this.prompted = 0;
    this.close();
  }

  close(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  private fire(): void {
    this.cancelTimer = undefined;
    if (this.prompted >= this.settings.prompts) return this.listener.giveUp();
    this.prompted++;
    this.listener.prompt(this.prompted);
  }
}
