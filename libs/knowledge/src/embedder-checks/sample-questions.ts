import { splitSentences } from '../retrieval-tests/expectation.js';

/** `worse`: the embedder loses significantly more answers than it adds. */
export type EmbedderOutcome = 'better' | 'similar' | 'worse';

/** A question whose answer is known: it is made from a passage. */
export interface SampleQuestion {
  question: string;
  /** Text of the passage that a search must return. */
  expected: string;
}

/** Where to read a passage: in a source, after a share of its passages (0 to 1), and so many passages later. */
interface SamplePlace {
  source: number;
  share: number;
  skipped: number;
}

const MIN_WORDS = 6;
const MAX_WORDS = 30;
/** More take as long, and a passage with such a sentence is not prose. */
const SEGMENTED_CHARACTERS = 400;
const WORDS = new Intl.Segmenter('und', { granularity: 'word' });
/** The probability of the outcome `worse` or `better` if the embedder makes no difference. */
const SIGNIFICANCE = 0.01;

/**
 * Places evenly spread over all passages. `skipped` varies, because in a crawl a share points before the first passage of a page, which
 * would otherwise be the only one that is read.
 */
export function samplePlaces(passagesOfSources: readonly number[], count: number): SamplePlace[] {
  const total = passagesOfSources.reduce((sum, passages) => sum + passages, 0);
  const places: SamplePlace[] = [];
  if (total === 0) return places;
  let [source, before] = [0, 0];
  for (let at = 0; at < count; at += 1) {
    const position = ((at + 0.5) * total) / count;
    while (position >= before + passagesOfSources[source]!) before += passagesOfSources[source++]!;
    places.push({ source, share: (position - before) / passagesOfSources[source]!, skipped: at % 3 });
  }
  return places;
}

/**
 * A question about the sentence in the middle of a passage: the sentence without its longest third of words, which are mostly the rare
 * ones, as a caller knows the subject but not the words of the document. Undefined for a passage without a sentence.
 */
export function questionAbout(passage: string): SampleQuestion | undefined {
  const sentences = splitSentences(passage).flatMap((sentence) => {
    const segments = segmentsOf(sentence);
    return segments ? [segments] : [];
  });
  const segments = sentences[sentences.length >> 1];
  if (!segments) return undefined;
  const words = segments.filter(({ isWordLike }) => isWordLike);
  const longestFirst = words.toSorted((a, b) => b.segment.length - a.segment.length);
  const dropped = new Set(longestFirst.slice(0, Math.floor(words.length / 3)));
  const kept = segments.filter((segment) => !dropped.has(segment)).map(({ segment }) => segment);
  return {
    question: kept.join('').replace(/\s+/g, ' ').trim(),
    expected: segments.map(({ segment }) => segment).join(''),
  };
}

/** The segments up to the last usable word; undefined if there are too few words. */
function segmentsOf(sentence: string): Intl.SegmentData[] | undefined {
  const segments = [...WORDS.segment(sentence.slice(0, SEGMENTED_CHARACTERS))];
  // The last word of a cut sentence may be incomplete.
  if (sentence.length > SEGMENTED_CHARACTERS) segments.pop();
  const places = segments.flatMap(({ isWordLike }, at) => (isWordLike ? [at] : []));
  if (places.length < MIN_WORDS) return undefined;
  return segments.slice(0, (places[MAX_WORDS - 1] ?? places.at(-1)!) + 1);
}

/** The outcome by the sign test: `gained` answers only with the embedder, `lost` answers only by words alone. */
export function outcomeOfCheck(gained: number, lost: number): EmbedderOutcome {
  if (chanceOf(gained + lost, Math.max(gained, lost)) >= SIGNIFICANCE) return 'similar';
  return lost > gained ? 'worse' : 'better';
}

/** The probability of at least `least` heads in `tosses` of a fair coin. */
function chanceOf(tosses: number, least: number): number {
  let [chance, term] = [0, 0.5 ** tosses];
  for (let heads = tosses; heads >= least; heads -= 1) {
    chance += term;
    term *= heads / (tosses - heads + 1);
  }
  return chance;
}
