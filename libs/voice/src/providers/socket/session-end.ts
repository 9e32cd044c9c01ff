import type { Clock } from '../../clock.js';
import type { ProviderEvent } from '../voice-provider.js';

/** OpenAI ends every session after 60 min. */
export const LONGEST_SESSION_MS = 60 * 60_000;
/** So long before the end it is told: enough for a turn to come to its end. */
const NOTICE_MS = 2 * 60_000;

/** Servers say when a session ends (seconds since 1970), though not all types do. Undefined: not said, or the clocks differ. */
export function remainingMs(session: object): number | undefined {
  const { expires_at: expiresAt } = session as { expires_at?: unknown };
  if (typeof expiresAt !== 'number') return undefined;
  const remaining = expiresAt * 1000 - Date.now();
  return remaining > 0 && remaining <= LONGEST_SESSION_MS ? remaining : undefined;
}

/** Tells of the end of a session before it comes. Returns what takes that back. */
export function announceEnd(clock: Clock, endsInMs: number, onEvent: (event: ProviderEvent) => void): () => void {
  const inMs = Math.round(Math.min(NOTICE_MS, endsInMs / 2));
  return clock.after(endsInMs - inMs, () => onEvent({ type: 'expiring', inMs }));
}
