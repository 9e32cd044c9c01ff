import type { AgentIndex } from './agent-index.js';
import { functionWordsOf } from './function-words.js';
import { chunksWith } from './segment.js';
import { PREFIX, scanTerms, TERM_WEIGHTS, WORD } from './terms.js';
import type { SpellingConsumer, WordList } from './dictionary.js';

/** A query term that the index contains, with the maximum score of a match. */
export interface QueryTerm {
  /** By segment: the number of the term, -1 if it does not occur. */
  termIds: Int32Array;
  /** Number of chunks that contain it. */
  chunks: number;
  worth: number;
  /** `where`, `is`: says nothing about the content of a chunk. */
  isFunctionWord: boolean;
}

/**
 * Maximum number of terms; the rarest are used. 1,000 characters may contain 300, and frequent terms hardly affect
 * the ranking.
 */
const TERMS = 64;
/** Unknown words for which similar spellings are searched, and spellings used per word. */
const UNKNOWN_WORDS = 8;
const SPELLINGS = 3;
/** Weight of a word by edit distance: 0, 1, 2. */
const SPELLING_WEIGHTS = [1, 0.7, 0.5] as const;
/** Weight of a function word: `where` is rare in a price list, but irrelevant to its content. */
const FUNCTION_WORD_WEIGHT = 0.3;
/** Shorter words have too many similar words. */
const MIN_MISSPELLED_LENGTH = 4;
const MIN_TWICE_MISSPELLED_LENGTH = 8;

/** Words too short for a prefix term, and the number of further letters of their longer forms: park, parking. */
const MIN_STEM_LENGTH = 3;
const MAX_STEM_LENGTH = 4;
const MAX_ENDING_LENGTH = 3;
const STEMS = 8;

interface Wanted {
  low: number;
  high: number;
  weight: number;
  isFunctionWord: boolean;
  /** Its letters, if it is a word other than a function word. */
  word?: Uint16Array;
}

/**
 * The terms of each wording of a question, function words last, otherwise the rarest first; a wording without a term is left out. Their worth adds up to 1, so that
 * a score is the share of the wording that a chunk covers, comparable between questions and with the similarity of vectors. The terms
 * that no chunk has are one term: it matches nothing.
 */
export function queryTerms(index: AgentIndex, queries: readonly string[]): QueryTerm[][] {
  if (index.chunks === 0) return [];
  const wordings = queries.map((query) => wordingTerms(index, query));
  return wordings.filter((terms) => terms.length > 0).map(scale);
}

function scale(terms: QueryTerm[]): QueryTerm[] {
  const total = terms.reduce((sum, { worth }) => sum + worth, 0);
  return terms.map((term) => ({ ...term, worth: term.worth / total })).sort(contentFirst);
}

/** Function words last, otherwise the rarest first. */
const contentFirst = (a: QueryTerm, b: QueryTerm): number =>
  Number(a.isFunctionWord) - Number(b.isFunctionWord) || a.chunks - b.chunks;

function wordingTerms(index: AgentIndex, query: string): QueryTerm[] {
  const found: QueryTerm[] = [];
  const unknown: { word: Uint16Array; weight: number }[] = [];
  const stems: Uint16Array[] = [];
  let missing = 0;
  for (const wanted of wantedTerms(query)) {
    if (wanted.word && isStem(wanted.word)) stems.push(wanted.word);
    const term = lookUp(index, wanted);
    if (term.chunks > 0) found.push(term);
    else if (wanted.word && mayBeMisspelled(wanted.word) && unknown.length < UNKNOWN_WORDS)
      unknown.push({ word: wanted.word, weight: wanted.weight });
    else missing += wanted.weight;
  }
  for (const { word, weight } of unknown) {
    const spellings = spelledAlike(index, word);
    found.push(...spellings);
    if (spellings.length === 0) missing += weight;
  }
  for (const word of stems.slice(0, STEMS))
    found.push(...longerForms(index, word).filter((form) => !found.some((term) => isSame(term, form))));
  const rarest = found.sort((a, b) => a.chunks - b.chunks).slice(0, TERMS);
  if (missing === 0) return rarest;
  // As rare as a term of one chunk: in a small index, terms of no chunk would outweigh all others.
  return [...rarest, { termIds: nowhere(index), chunks: 0, worth: missing * rarity(index, 1), isFunctionWord: false }];
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
    wanted.set(key, {
      low,
      high,
      weight,
      isFunctionWord,
      ...(kind === WORD && !isFunctionWord && { word: units.slice(from, to) }),
    });
  });
  return wanted.values();
}

function lookUp(index: AgentIndex, { low, high, weight, isFunctionWord }: Wanted): QueryTerm {
  const termIds = new Int32Array(index.segments.length);
  let chunks = 0;
  index.segments.forEach((segment, at) => {
    const termId = segment.dictionary.idOf(low, high);
    termIds[at] = termId;
    chunks += chunksWith(segment, termId);
  });
  return { termIds, chunks, worth: weight * rarity(index, chunks), isFunctionWord };
}

/** Inverse document frequency of BM25 as in Lucene: never negative. */
const rarity = (index: AgentIndex, chunks: number): number =>
  Math.log(1 + (index.chunks - chunks + 0.5) / (chunks + 0.5));

const DIGITS = /\d/;

/** Numbers are matched exactly. */
const mayBeMisspelled = (word: Uint16Array): boolean =>
  word.length >= MIN_MISSPELLED_LENGTH && !DIGITS.test(textOf(word));

const isStem = (word: Uint16Array): boolean =>
  word.length >= MIN_STEM_LENGTH && word.length <= MAX_STEM_LENGTH && !DIGITS.test(textOf(word));

/** Whether both are the same term: a longer form may also occur in the query or as a similar spelling. */
const isSame = (one: QueryTerm, other: QueryTerm): boolean => one.termIds.every((id, at) => id === other.termIds[at]);

const textOf = (units: Uint16Array): string => String.fromCharCode(...units);

/** The words most similar to an unknown one: fewer edits first, then the more frequent. */
function spelledAlike(index: AgentIndex, word: Uint16Array): QueryTerm[] {
  const distance = word.length >= MIN_TWICE_MISSPELLED_LENGTH ? 2 : 1;
  const spellings = collect(index, (words, take) => words.similar(word, distance, take));
  return termsOf(index, spellings, (edits) => SPELLING_WEIGHTS[edits]!);
}

/** Words that begin with a short word, shorter endings first; prefix terms cover only words of five letters and more. */
function longerForms(index: AgentIndex, word: Uint16Array): QueryTerm[] {
  const forms = collect(index, (words, take) =>
    words.beginningWith(word, word.length < MAX_STEM_LENGTH ? 1 : MAX_ENDING_LENGTH, take),
  );
  return termsOf(index, forms, (letters) => SPELLING_WEIGHTS[Math.min(letters, 2)]!);
}

interface Spelling {
  spelling: string;
  /** Number of edits, or of further letters. */
  distance: number;
  termIds: Int32Array;
  chunks: number;
}

function collect(index: AgentIndex, scan: (words: WordList, take: SpellingConsumer) => void): Spelling[] {
  const spellings = new Map<string, Spelling>();
  index.segments.forEach((segment, at) =>
    scan(segment.words, (termId, distance, spelling) => {
      const known = spellings.get(spelling) ?? { spelling, distance, termIds: nowhere(index), chunks: 0 };
      known.termIds[at] = termId;
      known.chunks += chunksWith(segment, termId);
      spellings.set(spelling, known);
    }),
  );
  return [...spellings.values()];
}

function termsOf(index: AgentIndex, spellings: Spelling[], weight: (distance: number) => number): QueryTerm[] {
  const nearest = spellings.sort(likeliestFirst).slice(0, SPELLINGS);
  return nearest.map(({ distance, termIds, chunks }) => ({
    termIds,
    chunks,
    worth: weight(distance) * TERM_WEIGHTS[WORD] * rarity(index, chunks),
    isFunctionWord: false,
  }));
}

/** Fewer edits first, then the more frequent; the spelling makes the order the same in every process. */
const likeliestFirst = (a: Spelling, b: Spelling): number =>
  a.distance - b.distance || b.chunks - a.chunks || (a.spelling < b.spelling ? -1 : 1);

const nowhere = (index: AgentIndex): Int32Array => new Int32Array(index.segments.length).fill(-1);
