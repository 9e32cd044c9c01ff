/** RFC 3261 §17.1.1.1, in milliseconds. Every other timer is a multiple of these. */
export interface TimerSettings {
  /** Round-trip estimate: first retransmission. */
  t1: number;
  /** Longest gap between retransmissions. */
  t2: number;
  /** How long a message may live in the network. */
  t4: number;
}

export const DEFAULT_TIMERS: TimerSettings = { t1: 500, t2: 4_000, t4: 5_000 };

/** Timers B, D, F, H, J, L and M: 64 x T1, 32 s by default. */
export function transactionTimeout(timers: TimerSettings): number {
  return 64 * timers.t1;
}
