import type { Clock } from '../clock.js';

export interface IdleSettings {
  /** Silence of both sides before an idle prompt, and between two of them. */
  afterMs: number;
  /** Idle prompts before the agent hangs up. */
  prompts: number;
}

const DEFAULT_IDLE: IdleSettings = { afterMs: 10_000, prompts: 2 };

interface IdleListener {
  prompt(count: number): void;
  giveUp(): void;
}

/** Measures the silence in which neither side speaks and no tool runs. */
export class IdleTimer {
  private prompted = 0;
  private cancelTimer: (() => void) | undefined;
  private readonly settings: IdleSettings;

  constructor(
    private readonly clock: Clock,
    settings: Partial<IdleSettings> | undefined,
    private readonly listener: IdleListener,
  ) {
    this.settings = { ...DEFAULT_IDLE, ...settings };
  }

  /** To be called at every change. `busy`: audio plays, the user speaks, or a tool or response runs. */
  update(busy: boolean): void {
    if (busy) return this.close();
    this.cancelTimer ??= this.clock.after(this.settings.afterMs, () => this.fire());
  }

  /** The user has spoken or pressed a key: resets the count of prompts. */
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

/** Longer than a pause in a conversation, shorter than the idle time. */
const FILLER_AFTER_MS = 800;

/** Fills the silence during tool calls, at most once per call. */
export class FillerTimer {
  private readonly waiting = new Set<object>();
  private readonly running = new Set<object>();
  private isFilled = false;
  private cancelTimer: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly speak: () => void,
  ) {}

  began(toolCall: object): void {
    this.waiting.add(toolCall);
    this.running.add(toolCall);
  }

  ended(toolCall: object): void {
    this.waiting.delete(toolCall);
    this.running.delete(toolCall);
    if (this.running.size === 0) this.isFilled = false;
  }

  /** The phrase was requested, and a tool still runs. */
  get hasSpoken(): boolean {
    return this.isFilled;
  }

  /** To be called at every change. `silent`: neither side speaks and no response is prepared. */
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
    this.isFilled = true;
    this.speak();
  }
}

/** A silent line sounds dead after three seconds; the phrase itself takes a moment to begin. */
const COMFORT_AFTER_MS = 2_400;
/** After the first phrase, which takes about a second. */
const NEXT_COMFORT_MS = 3_500;
const MAX_COMFORTS = 3;

/** Notices that the user waits too long for the agent. */
export class ComfortTimer {
  private cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onDelay: () => void,
  ) {}

  /** The user waits since this time of the clock. Does nothing while it is known. */
  expect(since: number): void {
    if (this.cancel) return;
    const now = this.clock.now();
    this.wait(Math.max(0, Math.max(since, now - COMFORT_AFTER_MS) + COMFORT_AFTER_MS - now), MAX_COMFORTS);
  }

  close(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  private wait(ms: number, left: number): void {
    this.cancel = this.clock.after(ms, () => {
      if (left > 1) this.wait(NEXT_COMFORT_MS, left - 1);
      this.onDelay();
    });
  }
}

const DEFAULT_MAX_CALL_SECONDS = 600;
const WARNING_MS = 30_000;

/** Limits the duration of a call, with a warning before the end. Returns a function that cancels both. */
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
