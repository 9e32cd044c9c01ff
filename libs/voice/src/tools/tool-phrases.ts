import type { Clock } from '../clock.js';
import { FillerTimer } from '../conversation/session-timers.js';

/** What the agent says around the use of a tool; several texts take turns. */
export interface ToolPhrases {
  /** At the use of the tool. Empty: silence. Absent: the filler phrase of the session, once the line is silent. */
  before?: readonly string[];
  /** While it runs and the line is silent. */
  whileWaiting?: { afterMs: number; everyMs: number; texts: readonly string[] };
  /** After a failure, instead of the words of the model. */
  onFailure?: readonly string[];
}

/** A use of a tool that is waited for, with words. */
interface Waiting {
  name: string;
  phrases: NonNullable<ToolPhrases['whileWaiting']>;
  /** By the clock. */
  dueAt: number;
}

interface PhraseListener {
  /** The filler phrase of the session. */
  fill(): void;
  /** False: the agent cannot speak now. */
  say(text: string): boolean;
}

/** Speaks around the tools of one conversation: their own words, or the filler phrase for those without. */
export class ToolSpeaker {
  private readonly filler: FillerTimer;
  private readonly running = new Set<object>();
  private readonly waiting = new Map<object, Waiting>();
  /** The number of uses of each list of texts. */
  private readonly turns = new Map<string, number>();
  private isSpoken = false;
  private cancelTimer: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly listener: PhraseListener,
  ) {
    this.filler = new FillerTimer(clock, () => listener.fill());
  }

  /** A tool runs from now on. */
  began(call: { name: string }, phrases: ToolPhrases = {}): void {
    const { before, whileWaiting } = phrases;
    const { name } = call;
    this.running.add(call);
    if (whileWaiting)
      this.waiting.set(call, { name, phrases: whileWaiting, dueAt: this.clock.now() + whileWaiting.afterMs });
    if (!before) return this.filler.began(call);
    const text = this.next(`${name} before`, before);
    if (text === undefined) return;
    this.isSpoken = true;
    this.listener.say(text);
  }

  ended(call: object): void {
    this.filler.ended(call);
    this.running.delete(call);
    this.waiting.delete(call);
    if (this.running.size === 0) this.isSpoken = false;
  }

  /** The words after a failure of a tool; undefined: the model finds its own. */
  onFailure(name: string, { onFailure }: ToolPhrases = {}): string | undefined {
    return onFailure && this.next(`${name} failure`, onFailure);
  }

  /** The user was asked to wait, and a tool still runs. */
  get hasSpoken(): boolean {
    return this.isSpoken || this.filler.hasSpoken;
  }

  /** To be called at every change. `silent`: neither side speaks and no response is prepared. */
  update(silent: boolean): void {
    this.filler.update(silent);
    if (!silent || this.waiting.size === 0) return this.closeTimer();
    const dueAt = Math.min(...[...this.waiting.values()].map((one) => one.dueAt));
    this.cancelTimer ??= this.clock.after(Math.max(0, dueAt - this.clock.now()), () => this.fire());
  }

  close(): void {
    this.filler.close();
    this.closeTimer();
  }

  private closeTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  /** One text is enough, however many tools are waited for. */
  private fire(): void {
    this.cancelTimer = undefined;
    const now = this.clock.now();
    const due = [...this.waiting.values()].filter(({ dueAt }) => dueAt <= now);
    const [first] = due;
    if (!first) return;
    for (const one of due) one.dueAt = now + one.phrases.everyMs;
    const text = this.next(`${first.name} waiting`, first.phrases.texts);
    if (text === undefined) return;
    this.isSpoken = true;
    this.listener.say(text);
  }

  private next(list: string, texts: readonly string[]): string | undefined {
    const turn = this.turns.get(list) ?? 0;
    this.turns.set(list, turn + 1);
    return texts[turn % texts.length];
  }
}
