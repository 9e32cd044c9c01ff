/** The ways in which the pacing bench carries its calls. */
export const PACING_KINDS = {
  thread: 'media thread, main thread quiet',
  'thread-blocked': 'media thread, main thread blocked 30 ms x 4/s',
  'main-blocked': 'no media thread, blocked the same way',
  interval: 'setInterval(20) per call',
} as const;

export type PacingKind = keyof typeof PACING_KINDS;

export interface PacingOptions {
  calls: number;
  seconds: number;
  threads: number;
}
