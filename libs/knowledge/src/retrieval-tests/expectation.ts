/** What a retrieval test expects among the first passages; at least one part is given, and all given parts must fit. */
export interface Expectation {
  text: string | null;
  /** Title, file name or URL. */
  source: string | null;
  knowledgeBaseId: number | null;
}

/** The part of a found passage that decides a test. */
interface TestedPassage {
  knowledgeBaseId: number;
  title: string;
  /** File name or URL; null for text. */
  source: string | null;
  headingPath: readonly string[];
  text: string;
}

/** The result of one question or of a whole test. */
export interface TestOutcome {
  passed: boolean;
  /** Place of the expected passage from 1, the last one of several; null if the search did not return it. */
  rank: number | null;
  /** Why the test failed. */
  reason: string | null;
}

/**
 * Place from 1 of the passage that meets the expectation, undefined if none does. A text of several sentences may be spread over
 * passages, as a document may be split anywhere between them: the place is that of the last passage needed.
 */
export function placeOfExpected(expected: Expectation, passages: readonly TestedPassage[]): number | undefined {
  const { text, source, knowledgeBaseId } = expected;
  const fits = passages.map(
    (passage) =>
      (knowledgeBaseId === null || passage.knowledgeBaseId === knowledgeBaseId) &&
      (source === null || isSource(passage, source)),
  );
  if (text === null) return placeFrom(fits.indexOf(true));
  const texts = passages.map(({ headingPath, text: own }) => comparable([...headingPath, own].join('\n')));
  const placeOf = (wanted: string) =>
    placeFrom(texts.findIndex((one, at) => fits[at] === true && containsWords(one, wanted)));
  const whole = placeOf(comparable(text));
  if (whole !== undefined) return whole;
  const places = sentencesOf(text).map(placeOf);
  if (places.length < 2) return undefined;
  return places.reduce((last, place) =>
    last === undefined || place === undefined ? undefined : Math.max(last, place),
  );
}

const placeFrom = (index: number): number | undefined => (index < 0 ? undefined : index + 1);

/** The result of one question, whose search returned these passages. */
export function outcomeOf(expected: Expectation, within: number, passages: readonly TestedPassage[]): TestOutcome {
  const place = placeOfExpected(expected, passages);
  if (place !== undefined && place <= within) return { passed: true, rank: place, reason: null };
  const wanted = nameOf(expected);
  const reason =
    place !== undefined
      ? `${wanted} is at place ${place}, not among the first ${within}.`
      : passages.length === 0
        ? 'The search returns no passage.'
        : `${wanted} is not among the first ${passages.length} passages.`;
  return { passed: false, rank: place ?? null, reason };
}

function nameOf({ text, source }: Expectation): string {
  if (text === null) return source === null ? 'The expected knowledge base' : 'The expected source';
  return source === null ? 'The expected text' : 'The expected text of the expected source';
}

/** Every question must find the answer by itself; the rank is the worst one. */
export function combineOutcome(outcomes: readonly TestOutcome[]): TestOutcome {
  const failed = outcomes.findIndex(({ passed }) => !passed);
  const ranks = outcomes.flatMap(({ rank }) => rank ?? []);
  const rank = ranks.length === 0 || ranks.length < outcomes.length ? null : Math.max(...ranks);
  if (failed < 0) return { passed: true, rank, reason: null };
  const reason = outcomes[failed]?.reason ?? null;
  return { passed: false, rank, reason: outcomes.length > 1 ? `Question ${failed + 1}: ${reason}` : reason };
}

/** Between sentences of any script, and between lines, which may be rows of a table. */
const SENTENCE_ENDS = /(?<=[.!?…؟।۔])\s+|(?<=[。！？｡])|[\r\n]+/u;

export const splitSentences = (text: string): string[] => text.split(SENTENCE_ENDS);

const sentencesOf = (text: string): string[] => splitSentences(text).flatMap((sentence) => comparable(sentence) || []);

/** Scripts that write words without spaces: a space between them carries no meaning, and neither does its absence. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const SPACES_OF_UNSPACED = new RegExp(`(?<=[${UNSPACED}]) | (?=[${UNSPACED}])`, 'gu');
const PART_OF_WORD = new RegExp(`^(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}.]`, 'u');
/** A separator between digits remains, because "500" is not part of "1,500" or "0.500". */
const SEPARATORS = /((?<=\p{N})[.,](?=\p{N}))|[^\p{L}\p{M}\p{N}]+/gu;

/**
 * A text without differences that readers do not notice: width and ligatures (NFKC), case, invisible characters, white space and
 * punctuation. Empty if the text has no letters and digits.
 */
export const comparable = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    // By way of capitals, ß equals ss.
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(SEPARATORS, (_, insideOfNumber?: string) => (insideOfNumber === undefined ? ' ' : '.'))
    .replace(SPACES_OF_UNSPACED, '')
    .trim();

/** Whether whole words of the text equal the wanted ones: "30 days" is not part of "130 days". */
function containsWords(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
    if (isBoundary(text, at) && isBoundary(text, at + wanted.length)) return true;
  return false;
}

const isBoundary = (text: string, at: number): boolean =>
  !(PART_OF_WORD.test(text.charAt(at - 1)) && PART_OF_WORD.test(text.charAt(at)));

const isSource = ({ title, source }: TestedPassage, wanted: string): boolean =>
  [title, ...(source === null ? [] : [source])].some((name) => sourceName(name) === sourceName(wanted));

/** Titles and file names regardless of case and white space; URLs also regardless of scheme, fragment and final slash. */
function sourceName(name: string): string {
  const url = /^https?:\/\//i.test(name.trim()) && URL.canParse(name.trim()) ? new URL(name.trim()) : undefined;
  if (url) return `${url.host}${url.pathname.replace(/\/+$/, '')}${url.search}`;
  return name.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
}
