import type { Outcome } from '../engine/hangup-cause.js';

/** A message of the page that the dialer knows. */
type PageMessage =
  { type: 'played'; ms: number } | { type: 'dtmf'; digits: string } | { type: 'hangup' } | { type: 'unknown' };

/** Close codes of the connection of a page, besides 1000. */
export const CLOSE_CODES = {
  bad_message: 4400,
  token_invalid: 4401,
  no_such_call: 4404,
  no_frames: 4408,
  taken_over: 4409,
  limit: 4429,
  no_dialer: 4503,
} as const;

export type PageErrorCode = keyof typeof CLOSE_CODES;

const DIGITS = /^[0-9A-Da-d*#]{1,64}$/;
/** A day. */
const MAX_PLAYED_MS = 86_400_000;

/** Undefined for a malformed message. Unknown types are for later versions. */
export function pageMessageOf(text: string): PageMessage | undefined {
  const message = objectOf(text);
  switch (message?.type) {
    case 'played': {
      const { ms } = message;
      return typeof ms === 'number' && ms >= 0 && ms <= MAX_PLAYED_MS ? { type: 'played', ms } : undefined;
    }
    case 'dtmf': {
      const { digits } = message;
      return typeof digits === 'string' && DIGITS.test(digits) ? { type: 'dtmf', digits } : undefined;
    }
    case 'hangup':
      return { type: 'hangup' };
    default:
      return typeof message?.type === 'string' ? { type: 'unknown' } : undefined;
  }
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** For a person at the page. */
const ENDINGS: Partial<Record<Outcome['cause'], string>> = {
  agent_hangup: 'The agent has ended the call.',
  agent_provider_error: 'The agent cannot be reached at the moment.',
  concurrency_limit: 'All lines are busy. Please try again later.',
  drained: 'The service is being restarted. Please call again.',
  max_duration: 'The call has reached its longest duration.',
  media_timeout: 'The connection was lost.',
  media_unavailable: 'The service has no audio for this call at the moment. Please try again later.',
  spend_limit: 'The limit for calls of today has been reached.',
  transferred: 'The call was passed on.',
  worker_lost: 'The service has lost the call. Please call again.',
};

export const endingOf = (cause: Outcome['cause']): string => ENDINGS[cause] ?? 'The call has ended.';
