import { FRAME_MS } from '@app/telephony';
import type { AnsweredBy, AnswerReason } from '../session-events.js';

/**
 * The timing of a human who answers a telephone, in milliseconds: a word or two, then a wait. In brackets the published defaults
 * of Asterisk's AMD (amd.conf) and Twilio (`MachineDetection…`).
 */
export interface CadenceTimings {
  /** Silence after the answer that ends the analysis without a result (Asterisk 2500, then machine; Twilio 5000). */
  initialSilenceMs: number;
  /** More speech than this is a machine, pauses not counted (Asterisk 1500, Twilio 2400). */
  greetingMs: number;
  /** Silence after the greeting of a human (Asterisk 800, Twilio 1200). */
  afterGreetingSilenceMs: number;
  /** The analysis ends at this time (Asterisk 5000, Twilio 30000). */
  totalAnalysisMs: number;
  /** Less voice than this is a click or a cough (Asterisk 100). */
  minWordMs: number;
  /** Silence that separates words (Asterisk 50, which separates syllables). */
  betweenWordsMs: number;
  /** More words than this mean a machine (Asterisk 3). */
  maxWords: number;
}

export const CADENCE: CadenceTimings = {
  initialSilenceMs: 2500,
  greetingMs: 2400,
  afterGreetingSilenceMs: 800,
  totalAnalysisMs: 5000,
  minWordMs: 100,
  betweenWordsMs: 200,
  maxWords: 4,
};

/** A run of voice, in frames since the answer; `to` is exclusive. */
interface Run {
  from: number;
  to: number;
}

/**
 * Classifies the pattern of voice (`voiced`, frame by frame since the answer); undefined while it is ambiguous. Every call judges
 * all frames again, because later frames reveal which earlier ones were noise.
 */
export function verdictOf(
  voiced: readonly boolean[],
  timings: CadenceTimings,
): { answeredBy: AnsweredBy; reason: AnswerReason } | undefined {
  const words = wordsOf(voiced, timings);
  const last = words.at(-1);
  const clockMs = voiced.length * FRAME_MS;
  if (spokenMs(words) > timings.greetingMs) return { answeredBy: 'machine', reason: 'long_greeting' };
  if (words.length > timings.maxWords) return { answeredBy: 'machine', reason: 'many_words' };
  const pauseMs = voiced.at(-1) || !last ? 0 : clockMs - last.to * FRAME_MS;
  if (last && pauseMs >= timings.afterGreetingSilenceMs) {
    return { answeredBy: 'human', reason: 'short_greeting' };
  }
  if (!last && clockMs >= timings.initialSilenceMs && !voiced.at(-1)) {
    return { answeredBy: 'unknown', reason: 'initial_silence' };
  }
  return clockMs >= timings.totalAnalysisMs ? { answeredBy: 'unknown', reason: 'analysis_time' } : undefined;
}

/** Runs of voice that are longer than a click; short pauses do not split them. */
function wordsOf(voiced: readonly boolean[], timings: CadenceTimings): Run[] {
  const runs: Run[] = [];
  voiced.forEach((isVoice, frame) => {
    const last = runs.at(-1);
    if (!isVoice) return;
    if (last && (frame - last.to) * FRAME_MS < timings.betweenWordsMs) last.to = frame + 1;
    else runs.push({ from: frame, to: frame + 1 });
  });
  return runs.filter((run) => voicedMs(voiced, run) >= timings.minWordMs);
}

const voicedMs = (voiced: readonly boolean[], { from, to }: Run): number =>
  voiced.slice(from, to).filter(Boolean).length * FRAME_MS;

const spokenMs = (words: readonly Run[]): number =>
  words.reduce((sum, { from, to }) => sum + (to - from) * FRAME_MS, 0);
