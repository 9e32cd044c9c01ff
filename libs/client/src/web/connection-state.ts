import type { WebCallErrorCode } from './sentences.js';

/** The service keeps a call this long without a connection. */
export const RESUME_MS = 10_000;
/** Pauses before the attempts to connect again; the last one repeats. */
const PAUSES_MS = [0, 250, 500, 1000, 2000];

/** Close codes of the service after which another attempt is pointless. */
const FINAL: Readonly<Record<number, WebCallErrorCode>> = {
  4400: 'failed',
  4401: 'token_invalid',
  4403: 'not_allowed',
  4404: 'call_not_found',
  4409: 'replaced',
  4429: 'limit_reached',
};
/** No dialer: on the first attempt there is no capacity, later the dialer may come back. */
const NO_DIALER = 4503;
const NORMAL = 1000;

/** The connection of one call. Times are milliseconds of one clock. */
export type ConnectionState =
  /** A socket is being opened. `since`: when the first attempt began, or when the connection was lost. */
  | { name: 'connecting'; since: number; attempt: number; resumes: boolean }
  | { name: 'open' }
  /** The next attempt begins at `retryAt`. */
  | { name: 'waiting'; since: number; attempt: number; resumes: boolean; retryAt: number }
  /** Without `error`: the service or the person has ended the call. */
  | { name: 'ended'; error?: WebCallErrorCode };

export type ConnectionEvent =
  /** The service has sent `ready`. */
  | { type: 'ready' }
  /** The socket was closed, or no `ready` came in time (1006). */
  | { type: 'closed'; code: number }
  /** `retryAt` has come. */
  | { type: 'retry' }
  | { type: 'hang_up' };

export const firstConnection = (now: number): ConnectionState => ({
  name: 'connecting',
  since: now,
  attempt: 0,
  resumes: false,
});

/** The state after an event. Events that the state does not expect change nothing. */
export function nextConnection(state: ConnectionState, event: ConnectionEvent, now: number): ConnectionState {
  if (state.name === 'ended') return state;
  switch (event.type) {
    case 'hang_up':
      return { name: 'ended' };
    case 'ready':
      return state.name === 'connecting' ? { name: 'open' } : state;
    case 'retry':
      if (state.name !== 'waiting') return state;
      return { name: 'connecting', since: state.since, attempt: state.attempt, resumes: state.resumes };
    default:
      return state.name === 'waiting' ? state : afterClose(state, event.code, now);
  }
}

function afterClose(
  state: Extract<ConnectionState, { name: 'connecting' | 'open' }>,
  code: number,
  now: number,
): ConnectionState {
  if (code === NORMAL) return { name: 'ended' };
  const lost = state.name === 'open' ? { since: now, attempt: 0, resumes: true } : state;
  const { since, attempt, resumes } = lost;
  // A token opens one connection: refused in a later attempt, it was used by an earlier one, or the call is over.
  const isOver = (code === 4401 || code === 4404) && (resumes || attempt > 0) && state.name === 'connecting';
  if (isOver) return { name: 'ended', error: 'connection_lost' };
  const error = FINAL[code];
  if (error) return { name: 'ended', error };
  if (code === NO_DIALER && !resumes) return { name: 'ended', error: 'unavailable' };
  const retryAt = now + (PAUSES_MS[attempt] ?? PAUSES_MS.at(-1)!);
  if (retryAt > since + RESUME_MS) return { name: 'ended', error: resumes ? 'connection_lost' : 'unavailable' };
  return { name: 'waiting', since, attempt: attempt + 1, resumes, retryAt };
}
