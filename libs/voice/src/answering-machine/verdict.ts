import type {
  Answer,
  AnswerDetection,
  AnswerEvidence,
  AnswerReason,
  AnswerResult,
  EarlyEvidence,
} from '../session-events.js';
import type { AnsweringMachineSettings } from '../session-options.js';
import type { FoundPhrases } from './phrases.js';

/** The greeting so far. */
export interface Cadence {
  /** Without pauses. */
  speechMs: number;
  words: number;
  longestPauseMs: number;
}

interface Evidence {
  answer: Answer;
  cadence: Cadence;
  beepsMs: readonly number[];
  phrases?: FoundPhrases | undefined;
  early?: EarlyEvidence | undefined;
}

const TONES: Partial<Record<AnswerReason, 'fax' | 'intercept'>> = { fax: 'fax', intercept: 'intercept' };

/** The result with its confidence and evidence. */
export function detectionOf(given: Evidence): AnswerDetection {
  const { answer, cadence, beepsMs, phrases, early } = given;
  const evidence: AnswerEvidence = {
    reason: answer.reason,
    greeting_ms: cadence.speechMs,
    words: cadence.words,
    longest_pause_ms: cadence.longestPauseMs,
    beeps_ms: [...beepsMs],
    tone: TONES[answer.reason] ?? early?.tone ?? null,
    keywords: phrases?.keywords ?? [],
    ...(early && { early_media: early }),
  };
  const confidence = Math.round(confidenceOf(given) * 100) / 100;
  return { result: resultOf(given), confidence, evidence, decided_after_ms: answer.atMs };
}

/** Of a fax, an announcement and a person the sound is evidence enough; other machines differ by their words. */
function resultOf({ answer: { answeredBy, reason }, phrases }: Evidence): AnswerResult {
  if (answeredBy !== 'machine') return answeredBy;
  if (reason === 'fax') return 'fax';
  if (reason === 'intercept') return 'ivr';
  if (phrases && phrases.kind !== 'wait') return phrases.kind;
  return 'voicemail';
}

/** Reasons with one confidence. */
const CONFIDENCE: Partial<Record<AnswerReason, number>> = {
  key_pressed: 0.99,
  fax: 0.99,
  intercept: 0.97,
  beep: 0.95,
  keywords: 0.95,
  picked_up: 0.8,
  initial_silence: 0,
  analysis_time: 0,
};
/** A greeting without known words or a beep is mostly a voicemail, but may be a company or a menu. */
const LONG_GREETING = 0.7;
const [SHORT_GREETING_MS, MAX_HUMAN_MS] = [900, 2_400];
const [SURE_HUMAN, DOUBTFUL_HUMAN] = [0.95, 0.6];

function confidenceOf({ answer: { answeredBy, reason }, cadence, beepsMs, phrases }: Evidence): number {
  if (reason === 'short_greeting') return humanConfidence(cadence);
  if (answeredBy !== 'machine') return CONFIDENCE[reason] ?? 0;
  const bySound = CONFIDENCE[reason] ?? LONG_GREETING;
  const hints = Number(beepsMs.length > 0) + Number(phrases?.isSure === true) + Number(phrases?.isSure === false) / 2;
  return Math.min(0.99, Math.max(bySound, LONG_GREETING + 0.25 * hints));
}

/** The longer the greeting, the less it is like that of a person. */
function humanConfidence({ speechMs, words }: Cadence): number {
  const excess = (speechMs - SHORT_GREETING_MS) / (MAX_HUMAN_MS - SHORT_GREETING_MS);
  const share = Math.min(1, Math.max(0, excess, (words - 2) / 3));
  return SURE_HUMAN - share * (SURE_HUMAN - DOUBTFUL_HUMAN);
}

export type Reaction = AnsweringMachineSettings['onMachine'] | 'answer';

export function reactionTo(settings: AnsweringMachineSettings, result: AnswerResult): Reaction {
  const { onMachine, onScreening = onMachine, onIvr = onMachine } = settings;
  if (result === 'screening') return onScreening;
  return result === 'ivr' ? onIvr : onMachine;
}

/** A message waits for the end of the greeting anyway, so that words change the reaction in time. */
export function dependsOnWords(settings: AnsweringMachineSettings): boolean {
  const { onMachine } = settings;
  if (onMachine === 'leave_message') return false;
  return reactionTo(settings, 'screening') !== onMachine || reactionTo(settings, 'ivr') !== onMachine;
}
