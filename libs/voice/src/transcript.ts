import type { SessionEvent, TurnRole } from './session-events.js';

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

/** One turn of the conversation as it was heard; times in milliseconds from the answer. */
export interface TranscriptTurn {
  role: TurnRole;
  text: string;
  started_ms: number;
  ended_ms: number;
  /** The agent had more to say and was interrupted. */
  truncated: boolean;
}

/** The transcript of a call, in the order in which the turns began. */
export function transcriptOf(events: SessionEvent[]): TranscriptTurn[] {
  return events
    .filter((event) => event.type === 'turn')
    .map(({ role, text, started_ms, ended_ms, truncated }) => ({ role, text, started_ms, ended_ms, truncated }))
    .sort((a, b) => a.started_ms - b.started_ms);
}

/** The text of a turn without transcription: its duration, never invented words. */
export const speechOf = (durationMs: number): string => `[speech ${(durationMs / 1000).toFixed(1)} s]`;

/**
 * The part of `text` that was heard when `playedMs` of `generatedMs` were played: words in proportion to the time, a partly
 * played word included. Word boundaries follow Unicode, for scripts without spaces too.
 */
export function heardPart(text: string, playedMs: number, generatedMs: number): string {
  if (playedMs <= 0) return '';
  if (playedMs >= generatedMs) return text.trim();
  const end = (text.length * playedMs) / generatedMs;
  const heard = [...WORDS.segment(text)].filter((word) => word.index < end);
  return heard
    .map((word) => word.segment)
    .join('')
    .trim();
}
