/** How much silence around speech a server counts to it. */
export interface SpeechBounds {
  beforeMs: number;
  afterMs: number;
}

/**
 * Positions of speech are those of the audio that the model is given: with what came before it, and with the silence that ended it. The
 * accepted session tells how much that is; a server that does not is taken at its word.
 */
export function speechBounds(session: object): SpeechBounds {
  const { audio } = session as { audio?: { input?: { turn_detection?: Record<string, unknown> | null } } };
  const { prefix_padding_ms: beforeMs, silence_duration_ms: afterMs } = audio?.input?.turn_detection ?? {};
  return { beforeMs: lengthOf(beforeMs), afterMs: lengthOf(afterMs) };
}

const lengthOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);
