import { bound } from '@app/json-schema/patterns';
import type { SessionEvent } from '@app/voice';
import { happened, isSaid, momentSentence, quote } from './conversation-facts.js';
import type { ScriptedPersonaSettings } from '@app/agents/scenarios';

/** What a caller does after it has heard the agent. At most one of `say`, `keys` and `silenceMs`. */
export interface PersonaAction {
  say?: string;
  keys?: string;
  silenceMs?: number;
  /** After its words. */
  hangsUp?: boolean;
  /** A sentence on why the caller cannot continue, independent of the agent: the conversation is stopped. */
  problem?: string;
}

/** A caller that decides from what the agent says. */
export interface Persona {
  readonly maxTurns: number;
  /** The longest wait for an agent that says nothing. */
  readonly patienceMs: number;
  /** Whether the caller speaks now, though the agent has not finished. `words`: the agent's since the last action. */
  interruptsAt(words: string): boolean;
  /** Whether the caller has an answer to these words; absent: to any. Otherwise the agent may be about to say more. */
  knows?(words: string): boolean;
  /** `words`: what the agent said since the last action; empty: nothing within the patience. */
  next(words: string, events: readonly SessionEvent[]): Promise<PersonaAction>;
  /** After the conversation: a sentence for each reason why it failed the caller. */
  failures(events: readonly SessionEvent[]): string[];
}

type Rule = ScriptedPersonaSettings['rules'][number];

/** A caller that follows rules. The same seed makes the same choices. */
export class ScriptedPersona implements Persona {
  readonly maxTurns: number;
  readonly patienceMs: number;
  private readonly random: () => number;
  private readonly interrupting: ReadonlySet<Rule>;
  private readonly used = new Map<Rule, number>();
  private misses = 0;
  private gaveUp: string | undefined;

  /** `repetition` from 0: each conversation of a repeated scenario makes other choices. */
  constructor(
    private readonly settings: ScriptedPersonaSettings,
    repetition = 0,
  ) {
    this.maxTurns = settings.max_turns;
    this.patienceMs = settings.impatience.seconds * 1_000;
    this.random = seeded(settings.seed + repetition * REPETITION_STEP);
    const mayInterrupt = settings.rules.filter(({ when }) => when !== undefined);
    // Of all rules, so that the choice of one does not depend on the others.
    const drawn = mayInterrupt.map((rule) => ({ rule, chance: this.random() }));
    this.interrupting = new Set(
      drawn.filter(({ rule, chance }) => rule.interrupts || chance < settings.interrupts).map(({ rule }) => rule),
    );
  }

  interruptsAt(words: string): boolean {
    if (this.interrupting.size === 0) return false;
    const rule = this.ruleFor(words);
    return rule !== undefined && this.interrupting.has(rule);
  }

  knows(words: string): boolean {
    return this.ruleFor(words) !== undefined;
  }

  next(words: string, events: readonly SessionEvent[]): Promise<PersonaAction> {
    return Promise.resolve(this.action(words, events));
  }

  failures(events: readonly SessionEvent[]): string[] {
    if (this.gaveUp) return [this.gaveUp];
    const { goal } = this.settings;
    if (!goal || this.isReached(events)) return [];
    return [`The caller did not reach its goal: that ${momentSentence(goal)}.`];
  }

  private action(words: string, events: readonly SessionEvent[]): PersonaAction {
    if (this.isReached(events)) return this.farewell();
    const rule = this.ruleFor(words);
    if (rule) return this.apply(rule);
    if (this.gaveUp) return { hangsUp: true };
    const { replies, seconds } = this.settings.impatience;
    if (words === '') return this.giveUp(`the agent said nothing for ${seconds} seconds`);
    this.misses++;
    if (this.misses < replies) return { say: this.oneOf(this.settings.otherwise) };
    return this.giveUp(`no rule applied to ${this.misses} replies in sequence. The agent said last: ${quote(words)}`);
  }

  private apply(rule: Rule): PersonaAction {
    this.misses = 0;
    this.used.set(rule, (this.used.get(rule) ?? 0) + 1);
    const { say, keys, silence, hang_up: hangsUp } = rule;
    return {
      ...(say && { say: this.oneOf(say) }),
      ...(keys !== undefined && { keys }),
      ...(silence !== undefined && { silenceMs: silence * 1_000 }),
      ...(hangsUp && { hangsUp }),
    };
  }

  /** The first rule that applies and is not used up. */
  private ruleFor(words: string): Rule | undefined {
    const search = (): { rule: Rule | undefined } => ({
      rule: this.settings.rules.find(
        (rule) => (this.used.get(rule) ?? 0) < rule.times && (!rule.when || (words !== '' && isSaid(rule.when, words))),
      ),
    });
    const found = bound(search);
    if (!found) this.gaveUp = `The patterns of the persona are too large for what the agent said: ${quote(words)}`;
    return found?.rule;
  }

  private isReached(events: readonly SessionEvent[]): boolean {
    const { goal } = this.settings;
    return goal !== undefined && bound(() => happened(goal, events) !== undefined) === true;
  }

  private farewell(): PersonaAction {
    const { farewell } = this.settings;
    return { ...(farewell && { say: this.oneOf(farewell) }), hangsUp: true };
  }

  private giveUp(why: string): PersonaAction {
    this.gaveUp = `The caller gave up: ${why}${/[.!?"]$/.test(why) ? '' : '.'}`;
    return { hangsUp: true };
  }

  private oneOf(texts: readonly string[]): string {
    return texts[Math.floor(this.random() * texts.length)] ?? '';
  }
}

/** A prime, so that the seeds of repetitions and of neighbouring scenarios stay apart. */
const REPETITION_STEP = 1_000_003;

/** Numbers from 0 to 1 (mulberry32): the same seed gives the same ones on every machine. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
