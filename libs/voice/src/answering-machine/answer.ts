/** The classification of what answered the call. */
export type AnsweredBy = 'human' | 'machine' | 'unknown';

/** The evidence for it. */
export type AnswerReason =
  // human
  | 'short_greeting' // a few words, then silence that waits for an answer
  | 'key_pressed'
  // machine
  | 'long_greeting' // more speech than people use to answer a telephone
  | 'many_words' // more separate words than people use to answer a telephone
  | 'beep' // a single steady tone, then silence
  | 'fax' // the answer tone of a fax or modem (2100 Hz, ITU-T T.30)
  | 'intercept' // the three rising tones before a carrier's announcement (ITU-T E.180)
  // unknown
  | 'initial_silence' // no speech within the first seconds
  | 'analysis_time'; // the time to decide was over

export interface Answer {
  answeredBy: AnsweredBy;
  reason: AnswerReason;
  /** Audio time since the answer. */
  atMs: number;
}
