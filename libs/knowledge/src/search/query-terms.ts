import type { AgentIndex } from './agent-index.js';
import { chunksWith } from './segment.js';
import { scanTerms, TERM_WEIGHTS, WORD } from './terms.js';

/** A term of a query that the index has, with what a match is worth at most. */
export interface QueryTerm {
  /** By segment: the term's number in it, -1 where it does not occur. */
  termIds: Int32Array;
  /** Chunks that have it. */
  chunks: number;
  worth: number;
}

/** The rarest ones are looked up: in 1,000 characters there may be 300, and the frequent ones decide nothing. */
const TERMS = 64;
/** Unknown words that are looked for under another spelling, and how many spellings of each are taken. */
const UNKNOWN_WORDS = 8;
const SPELLINGS = 3;
/** What a word is worth that is spelled one or two edits differently. */
const SPELLING_WEIGHTS = [1, 0.7, 0.5] as const;
/** Shorter words are near too many others. */
const SHORTEST_MISSPELLED = 4;
const SHORTEST_TWICE_MISSPELLED = 8;

interface Wanted {
  low: number;
  high: number;
  weight: number;
  /** Its letters, when it is a word. */
  word?: Uint16Array;
}

/** What to look for, the rarest term first. */
export function queryTerms(index: AgentIndex, query: string): QueryTerm[] {
  const found: QueryTerm[] = [];
  const unknown: Uint16Array[] = [];
  for (const wanted of wantedTerms(query)) {
    const term = lookUp(index, wanted);
    if (term.chunks > 0) found.push(term);
    else if (wanted.word && mayBeMisspelled(wanted.word)) unknown.push(wanted.word);
  }
  for (const word of unknown.slice(0, UNKNOWN_WORDS)) found.push(...spelledAlike(index, word));
  return found.sort((a, b) => a.chunks - b.chunks).slice(0, TERMS);
}

/** Each term of the query once. */
function wantedTerms(query: string): Iterable<Wanted> {
  const wanted = new Map<number, Wanted>();
  scanTerms(query, (low, high, kind, units, from, to) => {
    const key = high * 2 ** 20 + (low >>> 12);
    if (wanted.has(key)) return;
    const word = kind === WORD ? units.slice(from, to) : undefined;
    wanted.set(key, { low, high, weight: TERM_WEIGHTS[kind], ...(word && { word }) });
  });
  return wanted.values();
}

function lookUp(index: AgentIndex, { low, high, weight }: Wanted): QueryTerm {
  const termIds = new Int32Array(index.segments.length);
  let chunks = 0;
  index.segments.forEach((segment, at) => {
    const termId = segment.dictionary.idOf(low, high);
    termIds[at] = termId;
    chunks += chunksWith(segment, termId);
  });
  return { termIds, chunks, worth: weight * rarity(index, chunks) };
}

/** Inverse document frequency, as BM25 has it in Lucene: never negative. */
const rarity = (index: AgentIndex, chunks: number): number =>
  Math.log(1 + (index.chunks - chunks + 0.5) / (chunks + 0.5));

const DIGITS = /\d/;

/** A number is right or wrong. */
const mayBeMisspelled = (word: Uint16Array): boolean =>
  word.length >= SHORTEST_MISSPELLED && !DIGITS.test(String.fromCharCode(...word));

/** The words nearest to one that no chunk has: fewer edits first, then the more frequent. */
function spelledAlike(index: AgentIndex, word: Uint16Array): QueryTerm[] {
  const distance = word.length >= SHORTEST_TWICE_MISSPELLED ? 2 : 1;
  const spellings = new Map<string, { edits: number; termIds: Int32Array; chunks: number }>();
  index.segments.forEach((segment, at) =>
    segment.words.similar(word, distance, (termId, edits, spelling) => {
      const known = spellings.get(spelling) ?? { edits, termIds: nowhere(index), chunks: 0 };
      known.termIds[at] = termId;
      known.chunks += chunksWith(segment, termId);
      spellings.set(spelling, known);
    }),
  );
  const nearest = [...spellings.values()].sort((a, b) => a.edits - b.edits || b.chunks - a.chunks).slice(0, SPELLINGS);
  return nearest.map(({ edits, termIds, chunks }) => ({
    termIds,
    chunks,
    worth: SPELLING_WEIGHTS[edits]! * TERM_WEIGHTS[WORD] * rarity(index, chunks),
  }));
}

const nowhere = (index: AgentIndex): Int32Array => new Int32Array(index.segments.length).fill(-1);
