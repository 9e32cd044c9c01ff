import type { TurnDecision, TurnReason } from '../../voice-provider.js';
import type { TurnTaking } from '../pipeline-options.js';

/** Silence that ends a turn, in milliseconds. */
export interface TurnTimings {
  afterPunctuationMs: number;
  withoutPunctuationMs: number;
  longestMs: number;
  /** The same where the transcriber ends turns. */
  longestOfVendorMs: number;
}

/** Deepgram's own limit for turns that its model does not end. */
const VENDOR_LONGEST_MS = 5_000;

export function turnTimings({ afterPunctuationMs, withoutPunctuationMs, longestMs }: TurnTaking = {}): TurnTimings {
  const longest = longestMs ?? 1_500;
  return {
    afterPunctuationMs: Math.min(afterPunctuationMs ?? 300, longest),
    withoutPunctuationMs: Math.min(withoutPunctuationMs ?? 700, longest),
    longestMs: longest,
    longestOfVendorMs: longestMs ?? VENDOR_LONGEST_MS,
  };
}

/** The state of the user's speech at one moment. Times in milliseconds. */
export interface SpeechEvidence {
  /** Silence since the end of the speech; 0 while the user speaks. */
  silenceMs: number;
  /** The duration of the speech, its pauses included. */
  speechMs: number;
  /** The words so far. */
  text: string;
  /** None of the words will change. */
  isFinal: boolean;
  /** Since the latest change of the words, by the clock. */
  textAgeMs: number;
  /** The transcriber considers the turn as finished. */
  vendorEnded: boolean;
  /** The transcriber ends turns, and is asked before silence. */
  vendorDecides: boolean;
  /** Since the end of the speech, by the clock: audio may be replayed faster than real time. */
  waitedMs: number;
}

/** Words that a transcriber has not confirmed are used when they did not change for this time. */
const STABLE_MS = 200;
/** Speech without words is noise: transcribers deliver the first words within this time after it. */
const NO_WORDS_MS = 2_000;
/** Noise of the line may hide the silence: words that are complete end the turn after this time and the longest silence. */
const HIDDEN_SILENCE_MS = 500;

/** Why the turn of the user has ended; undefined: it has not. */
export function endOfTurn(evidence: SpeechEvidence, timings: TurnTimings): TurnReason | undefined {
  const { silenceMs, text, isFinal, textAgeMs, vendorEnded, vendorDecides, waitedMs } = evidence;
  if (text === '') return silenceMs > 0 && waitedMs >= NO_WORDS_MS ? 'no_words' : undefined;
  const isSettled = isFinal || textAgeMs >= STABLE_MS;
  if (vendorDecides) {
    if (vendorEnded) return 'vendor_end_of_turn';
    const longest = timings.longestOfVendorMs;
    const isOver = silenceMs >= longest || textAgeMs >= longest + HIDDEN_SILENCE_MS;
    return isSettled && isOver ? 'longest_silence' : undefined;
  }
  if (silenceMs === 0) return hiddenEnd(evidence, timings);
  if (silenceMs >= timings.longestMs) return isSettled ? 'longest_silence' : undefined;
  if (!isSettled) return undefined;
  const state = completeness(text);
  if (state === 'unfinished') return undefined;
  if (vendorEnded && silenceMs >= Math.min(STABLE_MS, timings.afterPunctuationMs)) return 'vendor_end_of_turn';
  if (state === 'sentence' && silenceMs >= timings.afterPunctuationMs) return 'silence_after_punctuation';
  return silenceMs >= timings.withoutPunctuationMs ? 'silence' : undefined;
}

/** The voice activity still reports speech, but no words come any more. */
function hiddenEnd({ isFinal, textAgeMs, vendorEnded, text }: SpeechEvidence, timings: TurnTimings) {
  const limitMs = timings.longestMs + HIDDEN_SILENCE_MS;
  if (vendorEnded && textAgeMs >= timings.withoutPunctuationMs && completeness(text) !== 'unfinished')
    return 'vendor_end_of_turn';
  return isFinal && textAgeMs >= limitMs ? 'longest_silence' : undefined;
}

/** The words are so complete that the model may begin to answer, although the user may still go on. */
export function mayBeFinished(evidence: SpeechEvidence): boolean {
  const { text, silenceMs, textAgeMs } = evidence;
  if (text === '' || textAgeMs < STABLE_MS) return false;
  const state = completeness(text);
  return state === 'sentence' || (state === 'open' && silenceMs >= STABLE_MS);
}

/** Silence after which speech over the agent is complete enough for a decision. */
const AFTER_OVERLAP_MS = 200;
/** An acknowledgement may be the first word of a sentence. */
const ACKNOWLEDGED_MS = 500;
/** The first words of speech arrive within this time. */
const WORDLESS_MS = 1_200;
const WORDLESS_SILENCE_MS = 600;

export type OverlapOutcome = Pick<TurnDecision, 'outcome' | 'reason'>;

/** What speech over the agent is; undefined: not known yet. `areAcknowledgements`: its words are nothing else. */
export function judgeOverlap(evidence: SpeechEvidence, areAcknowledgements: boolean): OverlapOutcome | undefined {
  const { text, silenceMs, speechMs, textAgeMs, waitedMs } = evidence;
  if (text === '') {
    const isNoise = silenceMs > 0 ? waitedMs >= WORDLESS_SILENCE_MS : speechMs >= WORDLESS_MS;
    return isNoise ? { outcome: 'noise', reason: 'no_words' } : undefined;
  }
  if (!areAcknowledgements) return { outcome: 'interruption', reason: 'words' };
  const isComplete = silenceMs >= AFTER_OVERLAP_MS || textAgeMs >= ACKNOWLEDGED_MS;
  return isComplete ? { outcome: 'acknowledgement', reason: 'only_acknowledgements' } : undefined;
}

/** Words after which a speaker goes on, at the end of a text. */
const GOES_ON =
  /(?:^|[\s,])(?:and|or|but|because|with|for|the|a|an|my|your|at|to|of|um|uh|uhm|er|und|oder|aber|weil|für|der|ein|eine|mein|meine|dass|äh|ähm|et|ou|mais|parce que|avec|pour|le|la|les|un|une|mon|ma|euh|y|o|pero|porque|con|para|el|los|una|mi|eh|e|perché|per|il|lo|ehm|mas|com|os|meu|minha|en|of|maar|omdat|met|voor|de|het|een|mijn|i|ale|bo|z|dla|mój|и|или|но|потому что|с|для|мой|моя|э|та|або|бо|ve|veya|ama|çünkü|için|ile)$/iu;

/** Spelled letters, digits and numerals, of which dictated numbers and names consist. */
const DICTATED =
  /^(?:\d+|\p{L}|double|triple|doppel|zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|due|tre|quattro|cinque|sei|sette|otto|nove|um|dois|três|quatro|sete|oito|een|twee|drie|vijf|zes|zeven|negen|jeden|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять|нуль|чотири|п['’]ять|шість|сім|вісім|дев['’]ять|sıfır|bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|[〇零一二三四五六七八九]+)$/iu;
/** Between the parts of addresses and numbers. */
const JOINER =
  /^(?:at|arroba|chiocciola|dot|punkt|point|punto|ponto|punt|kropka|dash|minus|hyphen|bindestrich|tiret|guion|underscore|unterstrich|plus|slash)$/iu;
/** Shorter runs are quantities: "two", "room 12". */
const MIN_DICTATED = 3;
/** Telephone numbers of this length are complete. */
const COMPLETE_NUMBER = 10;
const SENTENCE_END = /[.!?。！？؟।…]["'”’»)]*$/u;
const QUESTION = /[!?！？؟]["'”’»)]*$/u;

/** `unfinished`: the speaker is likely to go on, for example within a dictated number. `open`: not known. */
export function completeness(text: string): 'sentence' | 'open' | 'unfinished' {
  const trimmed = text.trim();
  if (/(?:[,،、，:;–—-]|\.\.\.|…)$/u.test(trimmed)) return 'unfinished';
  if (QUESTION.test(trimmed)) return 'sentence';
  if (isDictating(trimmed)) return 'unfinished';
  if (SENTENCE_END.test(trimmed)) return 'sentence';
  return GOES_ON.test(trimmed) ? 'unfinished' : 'open';
}

function isDictating(text: string): boolean {
  const words = text.split(/[\s,.。-]+/u).filter(Boolean);
  const run = words.slice(words.findLastIndex((word) => !DICTATED.test(word) && !JOINER.test(word)) + 1);
  const parts = run.filter((word) => DICTATED.test(word));
  const digits = parts.join('').replace(/[^\d〇零一二三四五六七八九]/gu, '').length;
  if (digits >= COMPLETE_NUMBER) return false;
  // An address without its ending: "anna@", "anna at mail dot".
  const isOpenAddress = /@[^\s.]*\.?$/u.test(text) || (JOINER.test(words.at(-1) ?? '') && words.length > 1);
  return parts.length >= MIN_DICTATED || digits > MIN_DICTATED || isOpenAddress;
}
