import type { AgentIndex } from './agent-index.js';
import { functionWordsOf } from './function-words.js';
import { chunksWith } from './segment.js';
import { PREFIX, scanTerms, TERM_WEIGHTS, WORD } from './terms.js';
import type { TakeSimilar, WordList } from './word-list.js';

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
/** What a function word is worth: `where` is rare in a price list, and says nothing about it. */
const FUNCTION_WORD_WEIGHT = 0.3;
/** Shorter words are near too many others. */
const SHORTEST_MISSPELLED = 4;
const SHORTEST_TWICE_MISSPELLED = 8;

/** Words too short for a prefix of their own, and how many letters a longer form of theirs may have: park, parking. */
const SHORTEST_STEM = 3;
const LONGEST_STEM = 4;
const LONGEST_ENDING = 3;
const STEMS = 8;

interface Wanted {
  low: number;
  high: number;
  weight: number;
  /** Its letters, when it is a word with a meaning of its own. */
  word?: Uint16Array;
}

/** What to look for, the rarest term first. */
export function queryTerms(index: AgentIndex, query: string): QueryTerm[] {
  const found: QueryTerm[] = [];
  const unknown: Uint16Array[] = [];
  const stems: Uint16Array[] = [];
  for (const wanted of wantedTerms(query)) {
    if (wanted.word && isStem(wanted.word)) stems.push(wanted.word);
    const term = lookUp(index, wanted);
    if (term.chunks > 0) found.push(term);
    else if (wanted.word && mayBeMisspelled(wanted.word)) unknown.push(wanted.word);
  }
  for (const word of unknown.slice(0, UNKNOWN_WORDS)) found.push(...spelledAlike(index, word));
  for (const word of stems.slice(0, STEMS))
    found.push(...longerForms(index, word).filter((form) => !found.some((term) => isSame(term, form))));
  return found.sort((a, b) => a.chunks - b.chunks).slice(0, TERMS);
}

/** Each term of the query once. */
function wantedTerms(query: string): Iterable<Wanted> {
  const wanted = new Map<number, Wanted>();
  const functionWords = functionWordsOf(query);
  let isFunctionWord = false;
  scanTerms(query, (low, high, kind, units, from, to) => {
    const key = high * 2 ** 20 + (low >>> 12);
    if (wanted.has(key)) return;
    // A prefix follows its word.
    if (kind !== PREFIX) isFunctionWord = kind === WORD && functionWords.has(textOf(units.subarray(from, to)));
    const weight = TERM_WEIGHTS[kind] * (isFunctionWord ? FUNCTION_WORD_WEIGHT : 1);
    wanted.set(key, { low, high, weight, ...(kind === WORD && !isFunctionWord && { word: units.slice(from, to) }) });
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
  word.length >= SHORTEST_MISSPELLED && !DIGITS.test(textOf(word));

const isStem = (word: Uint16Array): boolean =>
  word.length >= SHORTEST_STEM && word.length <= LONGEST_STEM && !DIGITS.test(textOf(word));

/** A longer form may be in the query itself, or have been taken for another spelling. */
const isSame = (one: QueryTerm, other: QueryTerm): boolean => one.termIds.every((id, at) => id === other.termIds[at]);

const textOf = (units: Uint16Array): string => String.fromCharCode(...units);

/** The words nearest to one that no chunk has: fewer edits first, then the more frequent. */
function spelledAlike(index: AgentIndex, word: Uint16Array): QueryTerm[] {
  const distance = word.length >= SHORTEST_TWICE_MISSPELLED ? 2 : 1;
  const spellings = collected(index, (words, take) => words.similar(word, distance, take));
  return termsOf(index, spellings, (edits) => SPELLING_WEIGHTS[edits]!);
}

/** The words of which a short one is the beginning, shorter endings first: prefixes find only those of five letters and more. */
function longerForms(index: AgentIndex, word: Uint16Array): QueryTerm[] {
  const forms = collected(index, (words, take) =>
    words.beginningWith(word, word.length < LONGEST_STEM ? 1 : LONGEST_ENDING, take),
  );
  return termsOf(index, forms, (letters) => SPELLING_WEIGHTS[Math.min(letters, 2)]!);
}

interface Spelling {
  /** Edits, or letters more. */
  distance: number;
  termIds: Int32Array;
  chunks: number;
}

function collected(index: AgentIndex, scan: (words: WordList, take: TakeSimilar) => void): Spelling[] {
  const spellings = new Map<string, Spelling>();
  index.segments.forEach((segment, at) =>
    scan(segment.words, (termId, distance, spelling) => {
      const known = spellings.get(spelling) ?? { distance, termIds: nowhere(index), chunks: 0 };
      known.termIds[at] = termId;
      known.chunks += chunksWith(segment, termId);
      spellings.set(spelling, known);
    }),
  );
  return [...spellings.values()];
}

function termsOf(index: AgentIndex, spellings: Spelling[], weight: (distance: number) => number): QueryTerm[] {
  const nearest = spellings.sort((a, b) => a.distance - b.distance || b.chunks - a.chunks).slice(0, SPELLINGS);
  return nearest.map(({ distance, termIds, chunks }) => ({
    termIds,
    chunks,
    worth: weight(distance) * TERM_WEIGHTS[WORD] * rarity(index, chunks),
  }));
}

const nowhere = (index: AgentIndex): Int32Array => new Int32Array(index.segments.length).fill(-1);
