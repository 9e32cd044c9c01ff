import { isAnnounced, CARD_CUE, NEUTRAL_CUE } from './cues.js';
import { unfinishedEmail } from './emails.js';
import type { Redaction } from './redaction.js';
import { digitRuns, type Span, textOf } from './runs.js';
import { type Finding, merge, type RedactedText, SecretFinder, withoutSecrets } from './secret-finder.js';

/** `keys`: pressed by the user. */
export type Speaker = 'agent' | 'user' | 'keys';

/** What one party said or pressed at once. Its findings may grow while it is open: the next words may complete a number. */
export class Utterance {
  found: Finding[] = [];
  isOpen = false;
  /** The number at its end, while it is not complete. */
  tail: Span | undefined;

  constructor(
    readonly speaker: Speaker,
    readonly text: string,
  ) {}

  get redacted(): RedactedText {
    return withoutSecrets(this.text, this.found);
  }

  /** As it may be shown now: without a number that is not complete. */
  get shown(): RedactedText {
    const tail = this.isOpen && this.tail ? [{ ...this.tail, kind: DIGITS }] : [];
    return withoutSecrets(this.text, merge([...this.found, ...tail]));
  }
}

/** The mark of digits that may be a part of a secret. */
const DIGITS = 'digits';
const SENTENCE_END = /[\s.,;:!?…]+$/u;
/** `My PIN is`, `Meine Nummer lautet:` */
const UNFINISHED_SENTENCE =
  /(?<!\p{L})(?:is|it.s|ist|lautet|est|es|è|pin|password|passwort|iban|number|nummer|numéro|número|numero)[\s.,:…]*$/iu;
/** Digits at the end of an utterance that may be continued in the next one. */
const MIN_OPEN = 2;
/** Words after the digits: `4111 1111, okay so far?` */
const MAX_AFTER = 28;
const MAX_PARTS = 12;
/** A hesitation between two parts of a number. */
const HESITATION_WORDS = 4;
/** Digits of an unfinished number that are a secret themselves. */
const MIN_UNFINISHED = 8;
/** Digits that are recognised elsewhere, such as the last four of a card. */
const MIN_KNOWN = 4;
const MAX_KNOWN = 200;
/** Kinds whose words are recognised elsewhere as they are. */
const REPEATED = new Set(['password', 'date_of_birth', 'email']);
/** What looks like these may be a part of a longer number; after all others another one follows. */
const INCOMPLETE = new Set(['phone', 'national_id', 'spoken_digits']);

/**
 * The secrets of one conversation: numbers that are said in several parts, answers to questions for a secret, and repetitions of what was
 * found. What it remembers stays in memory.
 */
export class ConversationSecrets {
  private readonly finder: SecretFinder;
  private readonly chains = new Map<Speaker, { parts: Utterance[]; hesitated: boolean }>();
  private readonly said: Utterance[] = [];
  private readonly digits = new Map<string, string>();
  private readonly words = new Map<string, string>();

  constructor(redaction: Pick<Redaction, 'kinds' | 'custom'>) {
    this.finder = new SecretFinder(redaction);
  }

  add(speaker: Speaker, text: string): Utterance {
    const one = new Utterance(speaker, text);
    if (speaker === 'user') this.closeChain('keys');
    const parts = this.chains.get(speaker)?.parts ?? [];
    this.findAcross([...parts, one]);
    this.said.push(one);
    if (this.said.length > MAX_PARTS) this.said.shift();
    this.continueChain(one, parts);
    return one;
  }

  /** No number is continued any more: the end of the call, or a long silence. */
  closeAll(): void {
    for (const speaker of this.chains.keys()) this.closeChain(speaker);
  }

  /** A text that is not part of the conversation, such as its summary. */
  redact(text: string, label = ''): RedactedText {
    const prefix = label === '' ? '' : `${label}: `;
    const whole = prefix + text;
    const found = merge([...this.finder.find(whole), ...this.knownIn(whole)]).flatMap((one) =>
      clip(one, prefix.length, whole.length),
    );
    this.learn(text, found);
    return withoutSecrets(text, found);
  }

  /** JSON: the key of a value is a cue. */
  redactValue(value: unknown): { value: unknown; kinds: string[] } {
    const kinds: string[] = [];
    const take = ({ text, kinds: found }: RedactedText): string => {
      kinds.push(...found);
      return text;
    };
    const walk = (one: unknown, key: string): unknown => {
      if (typeof one === 'string') return take(this.redact(one, key));
      if (typeof one === 'number' || typeof one === 'bigint') {
        const read = this.redact(String(one), key);
        return read.kinds.length > 0 ? take(read) : one;
      }
      if (Array.isArray(one)) return one.map((item) => walk(item, key));
      if (typeof one !== 'object' || one === null) return one;
      return Object.fromEntries(
        Object.entries(one).map(([name, item]) => [take(this.redact(name)), walk(item, wordsOfKey(name))]),
      );
    };
    return { value: walk(value, ''), kinds };
  }

  /** The words of a running utterance that may be shown. */
  running(speaker: Speaker, text: string): string {
    const parts = this.chains.get(speaker)?.parts ?? [];
    const found = merge([...this.findIn([...parts.map((part) => part.text), text], speaker), ...this.knownIn(text)]);
    let until = this.finder.openFrom(text);
    if (parts.length > 0) until = Math.min(until, this.finder.numbersOf(text)[0]?.atoms[0]?.start ?? text.length);
    const shown = found.flatMap((one) => clip(one, 0, text.length)).filter(({ start }) => start < until);
    const end = Math.max(until, shown.at(-1)?.end ?? 0);
    return withoutSecrets(text.slice(0, end), shown).text.trimEnd();
  }

  /** Adds what is found in the parts of one speaker together to each of them. */
  private findAcross(parts: Utterance[]): void {
    const one = parts.at(-1)!;
    const texts = parts.map(({ text }) => text);
    const begins = beginsOf(texts);
    const last = begins.at(-1)!;
    const found = this.findIn(texts, one.speaker).map((all) => ({
      ...all,
      start: all.start + last,
      end: all.end + last,
    }));
    for (const [index, part] of parts.entries()) {
      const begin = begins[index]!;
      const length = part.text.replace(SENTENCE_END, '').length;
      const own = found.flatMap((all) => clip(all, begin, begin + length));
      part.found = merge([...part.found, ...own, ...this.knownIn(part.text)]);
    }
    this.learn(join(texts), found);
    for (const utterance of this.said)
      if (utterance.isOpen) utterance.found = merge([...utterance.found, ...this.knownIn(utterance.text)]);
  }

  /** Offsets in the last text; negative ones are in the texts before it. */
  private findIn(texts: readonly string[], speaker: Speaker): Finding[] {
    const own = texts.length > 1 ? undefined : this.said.findLast((one) => one.speaker === speaker);
    const others = this.said.findLast((one) =>
      speaker === 'agent' ? one.speaker !== 'agent' : one.speaker === 'agent',
    );
    // `My PIN is`, and the number in the next turn.
    const lead = own && own.text.length <= 200 && UNFINISHED_SENTENCE.test(own.text) ? own.text : '';
    const all = lead === '' ? [...texts] : [lead, ...texts];
    const offset = beginsOf(all).at(-1)!;
    const found = this.finder.find(join(all), others?.text ?? '');
    const leadEnd = lead.length;
    return found
      .filter(({ end }) => end > leadEnd)
      .map((one) => ({ ...one, start: Math.max(one.start, leadEnd) - offset, end: one.end - offset }));
  }

  private continueChain(one: Utterance, parts: Utterance[]): void {
    const chain = this.chains.get(one.speaker);
    const tail = parts.length < MAX_PARTS ? this.openTail(one) : undefined;
    if (tail) {
      one.isOpen = true;
      one.tail = tail;
      const continues = parts.length > 0 && this.beginsWithNumber(one.text);
      if (parts.length > 0 && !continues) this.closeChain(one.speaker);
      this.chains.set(one.speaker, { parts: continues ? [...parts, one] : [one], hesitated: false });
    } else if (chain && !chain.hesitated && this.isHesitation(one.text)) chain.hesitated = true;
    else this.closeChain(one.speaker);
  }

  private openTail({ text, found }: Utterance): Span | undefined {
    const email = this.finder.wanted.has('email') ? unfinishedEmail(text, this.recentWords) : undefined;
    const run = this.finder.numbersOf(text).at(-1);
    const [first, last] = [run?.atoms[0], run?.atoms.at(-1)];
    const span = first && last ? { start: first.start, end: last.end } : undefined;
    const overlap = span && found.find(({ start, end }) => start < span.end && end > span.start);
    const isNumber = run && span && textOf(run.atoms).length >= MIN_OPEN && text.length - span.end <= MAX_AFTER;
    const isNeutral = span && isAnnounced({ text, before: '' }, span.start, NEUTRAL_CUE);
    if (isNumber && !isNeutral && !(overlap && !INCOMPLETE.has(overlap.kind))) return span;
    const isFound = email !== undefined && found.some(({ end }) => end > email);
    return email !== undefined && !isFound ? { start: email, end: text.length } : undefined;
  }

  /** What was said just before the last utterance. */
  private get recentWords(): string {
    return this.said
      .slice(-3, -1)
      .map(({ text }) => text)
      .join(' ');
  }

  private beginsWithNumber(text: string): boolean {
    const [first] = this.finder.numbersOf(text);
    return first !== undefined && first.atoms[0]!.start <= MAX_AFTER;
  }

  private isHesitation(text: string): boolean {
    return !this.beginsWithNumber(text) && text.trim().split(/\s+/).length <= HESITATION_WORDS;
  }

  private closeChain(speaker: Speaker): void {
    const { parts } = this.chains.get(speaker) ?? { parts: [] };
    this.chains.delete(speaker);
    const open = parts.map((part) => ({ part, digits: this.unfinished(part) }));
    const count = open.reduce((sum, { digits }) => sum + digits, 0);
    const [first] = parts;
    const isCard =
      first?.tail && isAnnounced({ text: first.text, before: this.otherBefore(first) }, first.tail.start, CARD_CUE);
    const isSecret = count >= MIN_UNFINISHED && (parts.length > 1 || isCard);
    for (const { part, digits } of open) {
      if (isSecret && digits > 0) part.found = merge([...part.found, { ...part.tail!, kind: DIGITS }]);
      part.isOpen = false;
    }
  }

  private otherBefore(one: Utterance): string {
    const index = this.said.indexOf(one);
    return this.said.slice(0, Math.max(0, index)).findLast(({ speaker }) => speaker !== one.speaker)?.text ?? '';
  }

  /** Digits at the end of an utterance that belong to nothing that was found. */
  private unfinished({ text, tail, found }: Utterance): number {
    if (!tail || found.some((one) => one.start < tail.end && one.end > tail.start)) return 0;
    return this.finder
      .runsOf(text.slice(tail.start, tail.end))
      .flatMap(digitRuns)
      .reduce((sum, run) => sum + textOf(run.atoms).length, 0);
  }

  private learn(text: string, found: readonly Finding[]): void {
    for (const { kind, digits, start, end } of found) {
      if (digits !== undefined && digits.length >= MIN_KNOWN && this.digits.size < MAX_KNOWN)
        this.digits.set(digits, kind);
      if (!REPEATED.has(kind) || digits !== undefined || this.words.size >= MAX_KNOWN) continue;
      const word = text.slice(Math.max(0, start), end).replace(SENTENCE_END, '').trim().toLowerCase();
      for (const one of [word, ...datesLike(word)]) if (one.length >= MIN_KNOWN) this.words.set(one, kind);
    }
  }

  /** The longest number that contains these digits. */
  private numberWith(digits: string): string | undefined {
    return [...this.digits.keys()].filter((one) => one.includes(digits)).toSorted((a, b) => b.length - a.length)[0];
  }

  /** Repetitions of secrets, and of at least four digits of them. */
  private knownIn(text: string): Finding[] {
    if (this.digits.size + this.words.size === 0) return [];
    const found: Finding[] = [];
    for (const run of this.finder.runsOf(text).flatMap(digitRuns)) {
      const digits = textOf(run.atoms);
      const known = digits.length >= MIN_KNOWN ? this.numberWith(digits) : undefined;
      const kind = known && this.digits.get(known);
      if (kind) found.push({ kind, start: run.atoms[0]!.start, end: run.atoms.at(-1)!.end, digits: known });
    }
    const lower = text.toLowerCase();
    for (const [word, kind] of this.words)
      for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
        found.push({ kind, start: at, end: at + word.length });
    return found;
  }
}

/** Where each text begins in the joined one. */
function beginsOf(texts: readonly string[]): number[] {
  let at = 0;
  return texts.map((text) => {
    const begin = at;
    at += text.length + 1;
    return begin;
  });
}

/** The sentence that ends between two parts of a number does not end the number. */
const join = (texts: readonly string[]): string =>
  texts
    .map((text, index) => {
      if (index === texts.length - 1) return text;
      const end = text.replace(SENTENCE_END, '').length;
      return text.slice(0, end) + ' '.repeat(Math.min(text.length - end, 4)).padEnd(text.length - end);
    })
    .join(' ');

function clip(one: Finding, from: number, to: number): Finding[] {
  const start = Math.max(one.start, from) - from;
  const end = Math.min(one.end, to) - from;
  return end > start ? [{ ...one, start, end }] : [];
}

/** The other ways to write a date: a tool gets `1980-03-12` of what was said as `12.03.1980`. */
function datesLike(text: string): string[] {
  const parts = text.split(/[-/.]/);
  if (parts.length !== 3 || parts.some((part) => !/^\d{1,4}$/.test(part))) return [];
  const [first = '', second = '', third = ''] = parts.map((part) => part.padStart(2, '0'));
  const [year, a, b] = first.length === 4 ? [first, second, third] : [third, first, second];
  const orders = [
    [a, b, year],
    [b, a, year],
    [year, a, b],
    [year, b, a],
  ];
  return orders.flatMap((order) => ['-', '/', '.'].map((joint) => order.join(joint)));
}

/** `cardCode`, `card_code`: "card code". */
const wordsOfKey = (key: string): string =>
  key
    .slice(0, 64)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ');
