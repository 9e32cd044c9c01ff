import type { SessionEvent } from '@app/voice';
import { open } from 'node:fs/promises';

/** A part of the recording, in milliseconds since the answer. */
export interface Silence {
  fromMs: number;
  toMs: number;
}

type Turn = Extract<SessionEvent, { type: 'turn' }>;

/** Around a secret whose words have times: transcribers cut the first and last sound of a word. */
const WORD_MARGIN_MS = 30;
/** Around a turn, whose times are those of its voice activity. */
export const TURN_MARGIN_MS = 300;
/** Speech without words: `[speech 1.6 s]`. */
const UNKNOWN_WORDS = /\[speech \d+(?:\.\d+)? s\]/;

/** Where the secrets of a turn were said: by the times of their words, or else the whole turn. */
export function silencesOf(turn: Turn, found: readonly { start: number; end: number }[]): Silence[] {
  const whole = { fromMs: Math.max(0, turn.started_ms - TURN_MARGIN_MS), toMs: turn.ended_ms + TURN_MARGIN_MS };
  if (UNKNOWN_WORDS.test(turn.text)) return [whole];
  if (found.length === 0) return [];
  const words = placedWords(turn);
  const silences = found.map(({ start, end }) => {
    const said = words.filter((word) => word.start < end && word.end > start);
    const known = said.reduce((sum, word) => sum + Math.min(word.end, end) - Math.max(word.start, start), 0);
    const isKnown = known >= turn.text.slice(start, end).replace(/[\s\p{P}]/gu, '').length;
    const [first, last] = [said[0], said.at(-1)];
    if (!isKnown || !first || !last) return undefined;
    return { fromMs: Math.max(0, first.startMs - WORD_MARGIN_MS), toMs: last.endMs + WORD_MARGIN_MS };
  });
  return silences.every((one) => one !== undefined) ? silences : [whole];
}

/** The words of a turn at their places in its text. */
function placedWords({ text, words = [] }: Turn): { start: number; end: number; startMs: number; endMs: number }[] {
  let at = 0;
  return words.flatMap(({ text: word, start_ms: startMs, end_ms: endMs }) => {
    const start = text.indexOf(word, at);
    if (start < 0 || word === '') return [];
    at = start + word.length;
    return { start, end: at, startMs, endMs };
  });
}

const WAV_HEADER_BYTES = 44;
/** Two channels of 16-bit samples at 8 kHz. */
const BYTES_PER_MS = 32;
const FRAME_BYTES = 4;
const ZEROS = Buffer.alloc(64 * 1024);

/** Silences both channels of a recording in its file. Rejects when it cannot. */
export async function silenceRecording(
  { path, bytes }: { path: string; bytes: number },
  silences: readonly Silence[],
): Promise<void> {
  if (silences.length === 0) return;
  const file = await open(path, 'r+');
  try {
    for (const { fromMs, toMs } of silences) {
      const from = byteOf(fromMs);
      const to = Math.min(byteOf(toMs), bytes);
      for (let at = from; at < to;) {
        const { bytesWritten } = await file.write(ZEROS, 0, Math.min(ZEROS.length, to - at), at);
        at += bytesWritten;
      }
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

const byteOf = (ms: number): number =>
  ms === Infinity
    ? Infinity
    : WAV_HEADER_BYTES + Math.floor((Math.max(0, ms) * BYTES_PER_MS) / FRAME_BYTES) * FRAME_BYTES;
