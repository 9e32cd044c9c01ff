import { SpokenMarkup } from './spoken-markup.js';

const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The first part is cut here even without a sentence end, so that the user soon hears something. */
const FIRST_PART = 60;
/** The same for later parts, of which the user hears the one before. */
const LATER_PART = 240;
/** No address is longer; an endless word must not take the time of all calls. */
const MAX_WORD_LENGTH = 1_000;
/** A shorter beginning does not stand alone before a comma. */
const MIN_CLAUSE_LENGTH = 20;

/** Words that end in a full stop within a sentence, in the languages of Latin script. */
const ABBREVIATION =
  /(?:^|[\s("'“„«])(?:\p{L}|(?:\p{L}\.\s?)+\p{L}|Mr|Mrs|Ms|Mx|Dr|Drs|Prof|St|No|Nos|vs|approx|ext|dept|Inc|Ltd|Co|Corp|Jr|Sr|Nr|Str|bzw|ca|usw|evtl|inkl|zzgl|ggf|bspw|Hr|Fr|Tel|Mme|Mlle|env|apt|Sra|Dra|Ud|Uds|tel|sig|dott|ing|nn|nr|ul|godz|pl|ds|bijv|mevr|dhr|av|art|pag|р|г|ул|руб|тел|стр|т)\.$/iu;
/** An ordinal or the number of a list: "am 3. Mai", "1. Open the door". */
const ORDINAL = /(?:^|\s)\d{1,2}\.$/;
const CLAUSE_END = /[,;:–—،、，；：]$/u;
/** These marks end a sentence without a space after them. */
const UNSPACED_END = /[。！？｡]["'”’」』）)]*$/u;
const ASCII_AT_EDGE = /[\p{ASCII}\d]/u;
const MAY_SPLIT_NUMBER = /\d\s$/;

/**
 * Cuts a text that arrives in pieces into parts to be spoken: sentences, or clauses of long ones. Numbers, abbreviations and addresses
 * stay whole. The parts are free of Markdown.
 */
export class SentenceSplitter {
  private rest = '';
  private count = 0;
  private isCode = false;
  private isLineStart = true;
  private readonly markup = new SpokenMarkup();

  /** The parts that are complete now. */
  push(text: string): string[] {
    this.rest += text;
    const parts: string[] = [];
    for (let at = this.cut(); at > 0; at = this.cut()) this.take(at, parts);
    return parts;
  }

  /** The remaining parts; no text follows. */
  end(): string[] {
    const parts = this.push('\n');
    this.take(this.rest.length, parts);
    return parts;
  }

  private take(at: number, parts: string[]): void {
    const written = this.rest.slice(0, at);
    this.rest = this.rest.slice(at);
    const isFence = this.isLineStart && /^\s*(?:```|~~~)/.test(written);
    if (isFence) this.isCode = !this.isCode;
    const part = isFence || this.isCode ? '' : this.markup.words(written, this.isLineStart);
    this.isLineStart = written.trimStart() === '' ? this.isLineStart || written.includes('\n') : written.endsWith('\n');
    if (part === '') return;
    this.count++;
    parts.push(part);
  }

  /** The length of the next complete part; 0: none is complete. */
  private cut(): number {
    const line = this.rest.indexOf('\n') + 1;
    const text = line > 0 ? this.rest.slice(0, line) : this.rest;
    const sentence = sentenceEnd(text);
    if (sentence > 0) return sentence;
    const longest = this.count === 0 ? FIRST_PART : LATER_PART;
    if (text.length <= longest) return line;
    return clauseEnd(text, longest) || (text.length > MAX_WORD_LENGTH ? MAX_WORD_LENGTH : 0);
  }
}

/** The length of the first sentence when more text follows it; 0: the text may be part of one sentence. */
function sentenceEnd(text: string): number {
  let end = 0;
  for (const { segment } of SENTENCES.segment(text)) {
    if (end > 0 && isSentence(text.slice(0, end))) return end;
    end += segment.length;
  }
  // Scripts without spaces end a sentence by its mark alone.
  return UNSPACED_END.test(text) ? text.length : 0;
}

function isSentence(begin: string): boolean {
  if (UNSPACED_END.test(begin)) return true;
  const trimmed = begin.trimEnd();
  // A mark without a space after it belongs to a number or an address.
  if (trimmed.length === begin.length || !/[\p{L}\p{N}]/u.test(trimmed)) return false;
  return !ABBREVIATION.test(trimmed) && !ORDINAL.test(trimmed);
}

/** The end of a clause within the first `longest` characters, else of a word; 0: more text is needed. */
function clauseEnd(text: string, longest: number): number {
  let [clause, word, at] = [0, 0, 0];
  for (const { segment } of WORDS.segment(text)) {
    if (at > longest && word > 0) break;
    if (at > 0 && isBoundary(text, at, segment)) {
      if (at <= longest || word === 0) word = at;
      if (at >= MIN_CLAUSE_LENGTH && at <= longest && CLAUSE_END.test(text.slice(0, at).trimEnd())) clause = at;
    }
    at += segment.length;
  }
  return clause || word;
}

/** A part may begin with `next`: after a space, or between words of a script without spaces. Numbers stay whole. */
function isBoundary(text: string, at: number, next: string): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  if (/\s$/.test(before)) return !/^\s/.test(next) && !(MAY_SPLIT_NUMBER.test(before) && /^\d/.test(next));
  const isSpaced = /^\s/.test(next) || ASCII_AT_EDGE.test(before.slice(-1)) || ASCII_AT_EDGE.test(next[0] ?? '');
  return !isSpaced && hasNoSpaces(before.slice(-1)) && !/^\p{P}/u.test(next);
}

const hasNoSpaces = (character: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}、，。；：]/u.test(
    character,
  );
