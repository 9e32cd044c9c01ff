import type { Clock } from './clock.js';

/** Longer than a pause in a conversation, shorter than it takes to ask whether anybody is there. */
const FILLER_AFTER_MS = 800;

/** Fills the silence in which a tool works: at most once for each of its calls. */
export class Filler {
  private readonly waiting = new Set<object>();
  private cancelTimer: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly speak: () => void,
  ) {}

  began(toolCall: object): void {
    this.waiting.add(toolCall);
  }

  ended(toolCall: object): void {
    this.waiting.delete(toolCall);
  }

  /** Tell it whenever that may have changed: `silent` while nobody speaks and nothing is about to be said. */
  update(silent: boolean): void {
    if (!silent || this.waiting.size === 0) return this.close();
    this.cancelTimer ??= this.clock.after(FILLER_AFTER_MS, () => this.fire());
  }

  close(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  private fire(): void {
    this.close();
    this.waiting.clear();
    this.speak();
  }
}
