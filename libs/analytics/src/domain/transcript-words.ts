import { scanWords, WORD_OF_LETTERS } from '@app/knowledge';

/** tsvector knows no higher position; later words are found, but not in phrases. */
const LAST_POSITION = 16_383;
/** Between two turns, so that a phrase never spans both. */
const TURN_GAP = 3;
/** Positions of one word that tsvector keeps. */
const MAX_POSITIONS = 255;

/** Words of all scripts, folded as in knowledge searches; a script without spaces gives one word per character. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  scanWords(text, (units, length, kind) => {
    const run = String.fromCharCode(...units.subarray(0, length));
    if (kind === WORD_OF_LETTERS) words.push(run);
    else words.push(...Array.from(run));
  });
  return words;
}

/** The one word that stands for the account: no transcript can contain it, because it has a character that is in no word. */
const accountWord = (accountId: number): string => `@${accountId}`;

const quote = (word: string): string => `'${word.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;

/** A tsvector has at most 1 MB: more different words than any conversation has. */
const MAX_BYTES = 500_000;

/** The words of a transcript as the text of a tsvector. */
export function transcriptVector(accountId: number, turns: readonly string[]): string {
  const positions = new Map<string, number[]>();
  let [position, bytes] = [0, 0];
  for (const turn of turns) {
    for (const word of wordsOf(turn)) {
      position += 1;
      const of = positions.get(word) ?? [];
      if (of.length < MAX_POSITIONS) of.push(Math.min(position, LAST_POSITION));
      bytes += of.length === 1 ? 3 * word.length + 8 : 2;
      if (bytes < MAX_BYTES) positions.set(word, of);
    }
    position += TURN_GAP;
  }
  const lexemes = [...positions].map(([word, at]) => `${quote(word)}:${[...new Set(at)].join(',')}`);
  return [quote(accountWord(accountId)), ...lexemes].join(' ');
}

/** A word to find: alone, in a phrase, as a beginning, or not at all. */
interface Part {
  words: string[];
  isPrefix: boolean;
  isExcluded: boolean;
}

const PART = /(-?)(?:"([^"]*)"?|(\S+))/g;
const MAX_WORDS = 32;

/** Words, "phrases", -excluded words and beginnings of words (refund*). Undefined: the text has no word to find. */
function partsOf(search: string): Part[] | undefined {
  const parts: Part[] = [];
  for (const [, minus, phrase, word = ''] of search.matchAll(PART)) {
    const words = wordsOf(phrase ?? word);
    if (words.length === 0) continue;
    parts.push({ words, isPrefix: phrase === undefined && word.endsWith('*'), isExcluded: minus === '-' });
  }
  const isTooLong = parts.reduce((sum, { words }) => sum + words.length, 0) > MAX_WORDS;
  return parts.some(({ isExcluded }) => !isExcluded) && !isTooLong ? parts : undefined;
}

const partQuery = ({ words, isPrefix }: Part): string =>
  words.map((word, index) => quote(word) + (isPrefix && index === words.length - 1 ? ':*' : '')).join(' <-> ');

/** What `GET /calls?transcript=` searches for. */
export interface TranscriptSearch {
  /** The transcripts of the account, as the text of a tsquery. */
  query: string;
  parts: Part[];
}

/** Undefined: the text has no word to find, or more than 32. */
export function transcriptSearch(accountId: number, search: string): TranscriptSearch | undefined {
  const parts = partsOf(search);
  if (!parts) return undefined;
  const queries = parts.map((part) => `${part.isExcluded ? '!' : ''}(${partQuery(part)})`);
  return { query: [quote(accountWord(accountId)), ...queries].join(' & '), parts };
}

/** Whether a turn contains one of the words or phrases. */
export function matchesTurn({ parts }: TranscriptSearch, text: string): boolean {
  const words = wordsOf(text);
  return parts.some((part) => !part.isExcluded && words.some((_word, at) => isAt(part, words, at)));
}

const isAt = ({ words, isPrefix }: Part, turn: readonly string[], from: number): boolean =>
  words.every((word, index) => {
    const found = turn[from + index];
    return found === word || (isPrefix && index === words.length - 1 && found?.startsWith(word) === true);
  });
