/** How an outgoing call ended, as SIP saw it. */
export type CallResult =
  /** A final response other than 2xx; of the last target when several were tried. */
  | { kind: 'rejected'; status: number; reason: string; q850?: number }
  /** Nothing was ever heard: Timer B, or the ring timeout before any response. */
  | { kind: 'silent' }
  /** The host name did not resolve, the connection was refused, or a send failed. */
  | { kind: 'unreachable' }
  /** The address check refused the destination. */
  | { kind: 'blocked' }
  /** It rang until the ring timeout. */
  | { kind: 'no-answer' }
  /** We gave up before the answer. */
  | { kind: 'cancelled' }
  /** Answered without a codec in common; hung up at once. */
  | { kind: 'no-media' }
  /** Answered with an audio address of an IP version that we do not speak; hung up at once. */
  | { kind: 'foreign-media' }
  /** Answered, and then the far end gave no sign of life in time (RFC 4028). */
  | { kind: 'session-expired' }
  /** Answered, then hung up. */
  | { kind: 'bye'; by: 'remote' | 'local'; q850?: number };
