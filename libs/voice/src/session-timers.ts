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
export class IdleTimer {
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
  userActed(): void {
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

/** Longer than a pause in a conversation, shorter than it takes to ask whether anybody is there. */
const FILLER_AFTER_MS = 800;

/** Fills the silence in which a tool works: at most once for each of its calls. */
export class FillerTimer {
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

const DEFAULT_MAX_CALL_SECONDS = 600;
const WARNING_MS = 30_000;

/** The longest duration of a call, with a warning before it; returns how to call both off. */
export function startCallLimit(
  clock: Clock,
  maxCallSeconds: number | undefined,
  listener: { warn(remainingMs: number): void; end(): void },
): () => void {
  const longestMs = (maxCallSeconds ?? DEFAULT_MAX_CALL_SECONDS) * 1000;
  const cancelEnd = clock.after(longestMs, () => listener.end());
  if (longestMs <= WARNING_MS) return cancelEnd;
  const cancelWarning = clock.after(longestMs - WARNING_MS, () => listener.warn(WARNING_MS));
  return () => {
    cancelEnd();
    cancelWarning();
  };
}
