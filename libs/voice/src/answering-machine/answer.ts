/** Who or what picked up. */
export type AnsweredBy = 'human' | 'machine' | 'unknown';

/** Every reason for it, with the sentence that documents it. */
export const ANSWER_REASONS = {
  short_greeting: 'human: a few words, then silence that waits for an answer',
  key_pressed: 'human: a key was pressed',
  long_greeting: 'machine: somebody speaks longer than people do who answer a telephone',
  many_words: 'machine: more separate words than people use to answer a telephone',
  beep: 'machine: a single steady tone, then silence',
  fax: 'machine: the answer tone of a fax or modem (2100 Hz, ITU-T T.30)',
  intercept: "machine: the three rising tones before a carrier's announcement (ITU-T E.180)",
  initial_silence: 'unknown: nobody said a word',
  analysis_time: 'unknown: the time to decide was over',
} as const;

export type AnswerReason = keyof typeof ANSWER_REASONS;

export interface Answer {
  answeredBy: AnsweredBy;
  reason: AnswerReason;
  /** Audio time since the answer. */
  atMs: number;
}
