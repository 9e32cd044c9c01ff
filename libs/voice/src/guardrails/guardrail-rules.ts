import { bound, Pattern } from '@app/json-schema/patterns';
import type { Guardrail, GuardrailJudge, GuardrailSide } from './guardrail.js';
import { Topics } from './stems.js';

/** A policy is judged within this time: the caller waits for the words meanwhile. */
const POLICY_DEADLINE_MS = 400;
/** Of one turn or one tool call; further words are not judged. */
const MAX_WORDS_LENGTH = 20_000;
/** A pattern sees this much at once, so that the work of each look is bounded; matches of up to `OVERLAP` characters are never cut. */
const WINDOW = 400;
const OVERLAP = 100;

/** Whether the words break the policy. Rejects when there is no verdict. */
export type AskPolicy = (policy: string, on: GuardrailSide, words: string, signal: AbortSignal) => Promise<boolean>;

interface Rule {
  rule: Guardrail;
  /** Absent: a policy. */
  isIn?: (words: string) => boolean;
}

/** The rules of one agent, compiled. Patterns were checked when the agent was saved. */
export class GuardrailRules implements GuardrailJudge {
  private readonly rules: Rule[];

  /** `language`: of the agent, BCP 47. @throws UnusablePattern */
  constructor(
    rules: readonly Guardrail[],
    language: string | undefined,
    private readonly ask: AskPolicy,
    private readonly deadlineMs = POLICY_DEADLINE_MS,
  ) {
    this.rules = rules.map((rule) => ({ rule, ...matcherOf(rule, language) }));
  }

  match(on: GuardrailSide, words: string): Guardrail[] {
    const judged = words.slice(0, MAX_WORDS_LENGTH);
    return this.rules.filter(({ rule, isIn }) => rule.on === on && isIn?.(judged)).map(({ rule }) => rule);
  }

  hasPolicies(on: GuardrailSide): boolean {
    return this.rules.some(({ rule, isIn }) => rule.on === on && isIn === undefined);
  }

  async violated(on: GuardrailSide, words: string, signal: AbortSignal): Promise<Guardrail[]> {
    const policies = this.rules.filter(({ rule, isIn }) => rule.on === on && isIn === undefined);
    const judged = words.slice(0, MAX_WORDS_LENGTH);
    const verdicts = await Promise.all(policies.map(({ rule }) => this.isViolated(rule, judged, signal)));
    return policies.filter((_, index) => verdicts[index]).map(({ rule }) => rule);
  }

  private async isViolated(rule: Guardrail, words: string, signal: AbortSignal): Promise<boolean> {
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(rule.onTimeout === 'block'), this.deadlineMs);
    });
    const verdict = this.ask(rule.policy ?? '', rule.on, words, AbortSignal.any([signal, late.signal])).catch(
      () => rule.onTimeout === 'block',
    );
    try {
      return await Promise.race([verdict, deadline]);
    } finally {
      clearTimeout(timer);
      late.abort();
    }
  }
}

function matcherOf({ pattern, topics }: Guardrail, language: string | undefined): Pick<Rule, 'isIn'> {
  if (pattern !== undefined) {
    const compiled = Pattern.of(caseless(pattern));
    return { isIn: (words) => windowsOf(words).some((part) => bound(() => compiled.test(part)) ?? false) };
  }
  if (topics === undefined) return {};
  const known = new Topics(topics, language);
  return { isIn: (words) => known.isIn(words) };
}

/** A pattern of a rule ignores case. */
export const caseless = (pattern: string): string => `(?i:${pattern})`;

function windowsOf(words: string): string[] {
  if (words.length <= WINDOW) return [words];
  const parts: string[] = [];
  for (let from = 0; from < words.length; from += WINDOW - OVERLAP) parts.push(words.slice(from, from + WINDOW));
  return parts;
}
