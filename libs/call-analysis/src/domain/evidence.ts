import type { Evidence, Line } from './call-material.js';

/** What a model cites for a value. */
export interface Citation {
  for: string;
  line: string;
  quote: string;
}

/** Of one value. */
const MAX_EVIDENCE = 10;
const MAX_QUOTE_LENGTH = 1_000;

/** Quotation marks differ between transcripts and models, and JSON escapes them. */
const QUOTES = /["'`´‘’‚‛“”„‟«»‹›\\]/gu;
const DASHES = /[‐‑‒–—―−]/gu;
const INVISIBLE = /[\p{Cf}\p{Cc}]/gu;

/** Text without the differences that have no meaning. */
const normalise = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(INVISIBLE, ' ')
    .replace(QUOTES, '')
    .replace(DASHES, '-')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim();

/** Searches quotes in a call. Each line is normalised once, because a model may cite hundreds of passages. */
export class EvidenceFinder {
  private readonly lines: { line: Line; text: string }[];
  private readonly byLabel: ReadonlyMap<string, { line: Line; text: string }>;

  constructor(lines: readonly Line[]) {
    this.lines = lines.map((line) => ({ line, text: normalise(line.text) }));
    this.byLabel = new Map(this.lines.map((one) => [one.line.label, one]));
  }

  /** The place of the quote: in the cited line, else in another one. Undefined: the quote is not in the call. */
  find({ line: label, quote }: Citation): Evidence | undefined {
    const parts = partsOf(quote);
    if (parts.length === 0) return undefined;
    const cited = this.byLabel.get(
      label
        .trim()
        .replace(/^\[|\]$/g, '')
        .toUpperCase(),
    );
    const found = cited && hasParts(cited.text, parts) ? cited : this.lines.find(({ text }) => hasParts(text, parts));
    return found && evidenceOf(found.line, quote);
  }

  /** The verified places of a path or of the nearest path above it, and whether anything was cited. */
  of(path: string, citations: CitationsByPath): Evidence[] {
    for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const found = (citations.get(at) ?? []).flatMap((one) => this.find(one) ?? []);
      if (found.length > 0) return found.slice(0, MAX_EVIDENCE);
    }
    return [];
  }
}

type CitationsByPath = ReadonlyMap<string, readonly Citation[]>;

/** By the path of the value: `/values/items/0`, `values.items[0]` and `values.items.0` are the same. */
export function citationsByPath(citations: readonly Citation[]): CitationsByPath {
  const byPath = new Map<string, Citation[]>();
  for (const citation of citations) {
    const path = citation.for
      .trim()
      .replace(/^\$?[./]?/, '')
      .replace(/\[(\d+)\]/g, '.$1')
      .replaceAll('/', '.');
    byPath.set(path, [...(byPath.get(path) ?? []), citation]);
  }
  return byPath;
}

export const evidenceOf = (line: Line, quote: string): Evidence => ({
  type: line.type,
  turn: line.turn,
  source: line.source,
  started_ms: line.started_ms,
  ended_ms: line.ended_ms,
  quote: quote.trim().slice(0, MAX_QUOTE_LENGTH),
});

/** A quote may leave out words in its middle. Each part needs a letter or a digit. */
function partsOf(quote: string): string[] {
  if (quote.length > MAX_QUOTE_LENGTH) return [];
  const parts = quote.split(/\[?(?:…|\.{3,})\]?/u).map((part) => normalise(part).replace(EDGES, ''));
  return parts.filter((part) => part !== '');
}

/** Punctuation around a quote. */
const EDGES = /^[^\p{L}\p{N}+]+|[^\p{L}\p{N}]+$/gu;

function hasParts(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = wordsAt(text, part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}

/** Whole words only: "no" is not a quote of "know". */
function wordsAt(text: string, part: string, from: number): number {
  for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + 1))
    if (!continues(text, at) && !continues(text, at + part.length)) return at;
  return -1;
}

/** Scripts without spaces have no boundaries between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}]/u;

function continues(text: string, at: number): boolean {
  const before = text[at - 1] ?? ' ';
  const after = text[at] ?? ' ';
  return WORD.test(before) && WORD.test(after) && !SPACELESS.test(before) && !SPACELESS.test(after);
}
