import { combine, FILLERS, numberWord } from './number-words.js';

/** One written or spoken group of a run: `4111`, `forty one`, `DE89`. */
export interface Atom {
  /** Digits and upper-case letters. */
  text: string;
  start: number;
  end: number;
  isSpoken: boolean;
  isDigits: boolean;
  /** The utterance that the atom belongs to, in a run over several ones. */
  part: number;
}

/** Groups that may be one number, with separators and fillers between them. */
export interface Run {
  atoms: Atom[];
  /** `+` or "plus" stands before it. */
  hasPlus: boolean;
}

export interface Span {
  start: number;
  end: number;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const DIGITS = /^\p{Nd}+$/u;
const ASCII_DIGITS = /^\d+$/;
/** Between two groups of one number: any signs but those that begin another one, or end a sentence. */
const SEPARATORS = /^(?:[^\p{L}\p{N}\p{Sc}@%+?!]*|[^\p{L}\p{N}@])$/u;
const MAX_GAP = 8;
const MAX_FILLERS = 2;
/** A short group of capitals, such as the bank of an IBAN. */
const CAPITALS = /^[A-Z]{2,6}$/;
const MAX_ALNUM = 40;
/** Nothing is as long; bounds the work of a text that is one number. */
const MAX_ATOMS = 4_000;

interface Word {
  text: string;
  start: number;
  end: number;
}

/** The runs of a text, in their order. `barriers`: sorted spans that belong to no run, such as dates. */
export function runsOf(text: string, barriers: readonly Span[] = [], part = 0): Run[] {
  const reader = new RunReader(text, barriers, part);
  for (const match of text.matchAll(WORD))
    reader.take({ text: match[0], start: match.index, end: match.index + match[0].length });
  return reader.end();
}

class RunReader {
  private readonly runs: Run[] = [];
  private current: Run | undefined;
  private lastEnd = 0;
  private fillers = 0;
  private barrier = 0;
  private pendingTimes: (Word & { count: number }) | undefined;
  private plusUntil = -1;

  constructor(
    private readonly text: string,
    private readonly barriers: readonly Span[],
    private readonly part: number,
  ) {}

  take(word: Word): void {
    if (this.isBarred(word)) return this.close();
    if (this.current && !this.connects(word.start)) this.close();
    const lower = word.text.length > MAX_ALNUM ? '' : word.text.toLowerCase();
    if (lower === 'plus') {
      this.close();
      this.plusUntil = word.end;
      return;
    }
    if (DIGITS.test(word.text)) return this.add(word, asciiDigits(word.text), false);
    const meaning = lower === '' ? undefined : numberWord(lower);
    if (meaning && !(lower === 'o' && !this.current)) return this.number(word, meaning);
    // A capital is a spelled letter.
    if (FILLERS.has(lower.length === 1 ? word.text : lower)) return this.filler(word);
    if (isAlphanumeric(word.text)) return this.add(word, word.text.toUpperCase(), false);
    this.close();
  }

  end(): Run[] {
    this.close();
    return this.runs;
  }

  private isBarred({ start, end }: Word): boolean {
    while ((this.barriers[this.barrier]?.end ?? Infinity) <= start) this.barrier++;
    const next = this.barriers[this.barrier];
    return next !== undefined && next.start < end;
  }

  private connects(start: number): boolean {
    const gap = this.text.slice(this.lastEnd, start);
    return Array.from(gap).length <= MAX_GAP && SEPARATORS.test(gap);
  }

  private number(word: Word, meaning: NonNullable<ReturnType<typeof numberWord>>): void {
    if (meaning.type === 'times') {
      this.pendingTimes = { ...word, count: meaning.count };
      this.lastEnd = word.end;
      this.current ??= this.begin(word);
      return;
    }
    if (meaning.type === 'hundred') return this.hundred(word);
    const last = this.current?.atoms.at(-1);
    const value = last?.isSpoken && !this.pendingTimes ? combine(Number(last.text), meaning.value) : undefined;
    if (last && value !== undefined) {
      last.text = String(value);
      last.end = this.lastEnd = word.end;
      this.fillers = 0;
      return;
    }
    this.add(word, String(meaning.value), true);
  }

  private hundred(word: Word): void {
    const last = this.current?.atoms.at(-1);
    if (!last?.isSpoken || last.text.length > 1) return this.close();
    last.text = `${last.text}00`;
    last.end = this.lastEnd = word.end;
  }

  private filler(word: Word): void {
    if (!this.current) return;
    if (++this.fillers > MAX_FILLERS) return this.close();
    this.lastEnd = word.end;
  }

  private add(word: Word, text: string, isSpoken: boolean): void {
    const times = this.pendingTimes;
    this.pendingTimes = undefined;
    this.current ??= this.begin(word);
    const repeated = times && text.length === 1 ? text.repeat(times.count) : text;
    const start = times?.start ?? word.start;
    const { part } = this;
    this.current.atoms.push({
      text: repeated,
      start,
      end: word.end,
      isSpoken,
      isDigits: ASCII_DIGITS.test(text),
      part,
    });
    this.lastEnd = word.end;
    this.fillers = 0;
    if (this.current.atoms.length >= MAX_ATOMS) this.close();
  }

  private begin({ start }: Word): Run {
    const before = this.text.slice(Math.max(0, start - 4), start);
    const hasPlus = /\+[\s(]*$/.test(before) || (this.plusUntil >= 0 && start - this.plusUntil <= 2);
    this.plusUntil = -1;
    return { atoms: [], hasPlus };
  }

  private close(): void {
    if (this.current && this.current.atoms.length > 0) this.runs.push(this.current);
    this.current = undefined;
    this.pendingTimes = undefined;
    this.fillers = 0;
  }
}

const isAlphanumeric = (word: string): boolean =>
  /^[A-Za-z]$/.test(word) ||
  CAPITALS.test(word) ||
  (word.length <= MAX_ALNUM && /^[A-Za-z0-9]+$/.test(word) && /\d/.test(word));

/** Arabic, Devanagari and full-width digits as ASCII. */
function asciiDigits(text: string): string {
  if (ASCII_DIGITS.test(text)) return text;
  return Array.from(text, (digit) => digitValue(digit.codePointAt(0)!)).join('');
}

/** Unicode keeps the ten digits of a script together, and 0 at the begin of its row. */
function digitValue(code: number): number {
  let zero = code;
  while (zero > 0 && code - zero < 9 && DIGITS.test(String.fromCodePoint(zero - 1))) zero--;
  return code - zero;
}

/** The parts of a run between letters. */
export function digitRuns(run: Run): Run[] {
  const parts: Run[] = [];
  let atoms: Atom[] = [];
  for (const atom of run.atoms) {
    if (atom.isDigits) atoms.push(atom);
    else if (atoms.length > 0) parts.push({ atoms: atoms.splice(0), hasPlus: run.hasPlus && parts.length === 0 });
  }
  if (atoms.length > 0) parts.push({ atoms, hasPlus: run.hasPlus && parts.length === 0 });
  return parts;
}

export const textOf = (atoms: readonly Atom[]): string => atoms.map(({ text }) => text).join('');

/** Whether the groups are single digits, said or pressed one by one. */
export const isOneByOne = (atoms: readonly Atom[]): boolean =>
  atoms.length >= 4 && atoms.filter(({ text, isSpoken }) => isSpoken || text.length === 1).length >= atoms.length - 1;

/** Lengths of the groups: `3-2-4`. */
export const groupingOf = (atoms: readonly Atom[]): string => atoms.map(({ text }) => text.length).join('-');
