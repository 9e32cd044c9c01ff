import { bound, Pattern, PatternBudget, PatternsTooLarge, UnusablePattern } from '@app/json-schema/patterns';
import type { Surroundings } from './cues.js';
import { openEmail, spokenEmails, writtenEmails } from './emails.js';
import { secretsOfRun } from './number-rules.js';
import { type CustomPattern, type Redaction, SECRET_KINDS, type SecretKind } from './redaction.js';
import { type Run, runsOf, type Span, textOf } from './runs.js';
import { visibleText } from './visible-text.js';
import { birthDates, ipAddresses, numericDates, passwords, plainNumbers } from './text-rules.js';

/** A secret in a text: offsets in UTF-16 units. */
export interface Finding extends Span {
  /** A SecretKind, or the name of a custom pattern. */
  kind: string;
  /** The digits of a number, for the same number elsewhere. */
  digits?: string;
}

export interface RedactedText {
  text: string;
  /** In the order of the text. */
  kinds: string[];
}

/** Longer texts are read in slices, so that no text holds up other work for long. */
const SLICE = 4_096;
/** No secret is longer; a slice reads so far into the next one, and its cues so far back. */
const OVERLAP = 512;
/** Matches of one pattern in one slice. Beyond that the rest of the slice counts as one match. */
const MAX_MATCHES = 200;

/** Finds secrets by the rules of one redaction. Synchronous, linear in the text. */
export class SecretFinder {
  readonly wanted: ReadonlySet<SecretKind>;
  private readonly custom: { name: string; pattern: Pattern }[];

  /** The patterns were checked when they were stored, see `customProblems`. */
  constructor({ kinds, custom }: Pick<Redaction, 'kinds' | 'custom'>) {
    this.wanted = new Set(kinds);
    this.custom = custom.map(({ name, pattern }) => ({ name, pattern: Pattern.of(pattern) }));
  }

  /** `before`: what the other party said last, which may ask for a secret. */
  find(text: string, before = ''): Finding[] {
    const found: Finding[] = [];
    for (const slice of this.slices(text, before)) found.push(...slice);
    return merge(found);
  }

  /** The same for long texts, with pauses for other work. */
  async findInLong(text: string): Promise<Finding[]> {
    const found: Finding[] = [];
    for (const slice of this.slices(text, '')) {
      found.push(...slice);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return merge(found);
  }

  redact(text: string, before = ''): RedactedText {
    return withoutSecrets(text, this.find(text, before));
  }

  /** The secrets of a number that was said in several parts. */
  findInRun(run: Run, where: Surroundings): ReturnType<typeof secretsOfRun> {
    return secretsOfRun(run, where, this.wanted);
  }

  /** The numbers of a text that are not dates, times, amounts or addresses. */
  runsOf(text: string): Run[] {
    const { text: seen, written } = visibleText(text);
    return runsOf(seen, barriersOf(seen)).map((run) => ({
      ...run,
      atoms: run.atoms.map((atom) => ({ ...atom, ...written(atom) })),
    }));
  }

  /** The same from their first to their last digit. */
  numbersOf(text: string): Run[] {
    return this.runsOf(text).flatMap((run) => {
      const hasDigit = ({ text: one }: { text: string }): boolean => /\d/.test(one);
      const atoms = run.atoms.slice(0, run.atoms.findLastIndex(hasDigit) + 1);
      return atoms.length > 0 ? [{ ...run, atoms }] : [];
    });
  }

  /** Where a text that is still being said must not be shown, because its end may be the begin of a secret. */
  openFrom(text: string): number {
    if (this.custom.length > 0) return 0;
    const last = this.numbersOf(text).at(-1);
    const end = last?.atoms.at(-1)?.end ?? 0;
    const isOpen = last && !/[\p{L}\p{N}]{2}/u.test(text.slice(end));
    const number = isOpen ? last.atoms[0]!.start : text.length;
    const email = this.wanted.has('email') ? openEmailIn(text) : undefined;
    return Math.min(number, email ?? text.length);
  }

  private *slices(text: string, before: string): Generator<Finding[]> {
    for (let from = 0; from < text.length || from === 0; from += SLICE) {
      const start = Math.max(0, from - OVERLAP);
      const until = from + SLICE;
      const part = text.slice(start, until + OVERLAP);
      const found = this.findInSlice({ text: part, before: start === 0 ? before : '' });
      const shifted = found.map((one) => ({ ...one, start: one.start + start, end: one.end + start }));
      yield shifted.filter((one) => one.end > from && one.start < until);
    }
  }

  private findInSlice({ text, before }: Surroundings): Finding[] {
    const { text: seen, written } = visibleText(text);
    const found = this.findVisible({ text: seen, before: visibleText(before).text });
    const custom = seen === text ? [] : this.custom.flatMap((one) => matchesOf(one, text));
    return [...found.map((one) => ({ ...one, ...written(one) })), ...custom];
  }

  private findVisible(where: Surroundings): Finding[] {
    const { text } = where;
    const { wanted } = this;
    const dates = numericDates(text);
    const addresses = ipAddresses(text);
    const emails = [...writtenEmails(text), ...(wanted.has('email') ? spokenEmails(text) : [])];
    const births = wanted.has('date_of_birth') ? birthDates(where, dates) : [];
    const secret = wanted.has('password') ? passwords(where) : [];
    const found: Finding[] = [
      ...(wanted.has('email') ? as('email', emails) : []),
      ...(wanted.has('ip_address') ? as('ip_address', addresses) : []),
      ...as('date_of_birth', births),
      ...as('password', secret),
    ];
    const barriers = [...dates, ...plainNumbers(text), ...addresses, ...emails, ...births];
    for (const run of runsOf(text, inOrder(barriers)))
      for (const { kind, atoms } of this.findInRun(run, where))
        found.push({ kind, start: atoms[0]!.start, end: atoms.at(-1)!.end, digits: textOf(atoms) });
    for (const one of this.custom) found.push(...matchesOf(one, text));
    return found;
  }
}

function openEmailIn(text: string): number | undefined {
  const { text: seen, written } = visibleText(text);
  const start = openEmail(seen);
  return start === undefined ? undefined : written({ start, end: start }).start;
}

const as = (kind: SecretKind, spans: readonly Span[]): Finding[] => spans.map((span) => ({ ...span, kind }));

const barriersOf = (text: string): Span[] =>
  inOrder([...numericDates(text), ...plainNumbers(text), ...ipAddresses(text), ...writtenEmails(text)]);

/** Without overlaps, so that one pass over the text is enough. */
function inOrder(spans: readonly Span[]): Span[] {
  const ordered: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = ordered.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else ordered.push({ start: span.start, end: span.end });
  }
  return ordered;
}

function matchesOf({ name, pattern }: { name: string; pattern: Pattern }, text: string): Finding[] {
  const spans = pattern.spans(text, MAX_MATCHES);
  if (spans.length === MAX_MATCHES) spans.push({ start: spans.at(-1)!.start, end: text.length });
  return spans.map((span) => ({ ...span, kind: name }));
}

/** In their order. Of findings that overlap, the longer one names the kind of both: a card is longer than a part of it. */
export function merge(found: readonly Finding[]): Finding[] {
  const result: Finding[] = [];
  for (const one of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (!last || one.start >= last.end) result.push({ ...one });
    else {
      const { kind, digits } = sizeOf(one) > sizeOf(last) ? one : last;
      Object.assign(last, { kind, digits, end: Math.max(last.end, one.end) });
    }
  }
  return result;
}

const sizeOf = ({ digits, start, end }: Finding): number => digits?.length ?? end - start;

/** The text with `[kind]` in the place of each finding. */
export function withoutSecrets(text: string, found: readonly Finding[]): RedactedText {
  let result = '';
  let at = 0;
  for (const { kind, start, end } of found) {
    result += `${text.slice(at, start)}[${kind}]`;
    at = end;
  }
  return { text: result + text.slice(at), kinds: found.map(({ kind }) => kind) };
}

/** Instructions of the patterns of one redaction together: they bound the cost of each character. */
const MAX_INSTRUCTIONS = 1_000;
const MARK_NAME = /^[a-z][a-z0-9_]{0,31}$/;
/** Patterns of one account or agent. */
export const MAX_CUSTOM = 20;

/** Why patterns cannot be used, by their index; the texts are ends of sentences. */
export function customProblems(
  custom: readonly CustomPattern[],
): { index: number; key: 'name' | 'pattern'; message: string }[] {
  const budget = new PatternBudget();
  const problems: ReturnType<typeof customProblems> = [];
  let instructions = 0;
  for (const [index, { name, pattern }] of custom.entries()) {
    const add = (key: 'name' | 'pattern', message: string): void => void problems.push({ index, key, message });
    if (!MARK_NAME.test(name))
      add('name', 'must be lower-case letters, digits and underscores, and begin with a letter');
    if (SECRET_KINDS.some((kind) => kind === name) || name === 'name') add('name', 'is the name of a kind');
    try {
      const compiled = budget.compile(pattern);
      instructions += compiled.instructions;
      if (instructions > MAX_INSTRUCTIONS) add('pattern', 'is too large together with the patterns before it');
      else if (bound(() => compiled.test(''))) add('pattern', 'must not match an empty text');
    } catch (error) {
      if (error instanceof PatternsTooLarge) add('pattern', 'is too large together with the patterns before it');
      else if (error instanceof UnusablePattern) add('pattern', error.message);
      else throw error;
    }
  }
  return problems;
}
