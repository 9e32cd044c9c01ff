/** `1:05`, `12:00:09`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number): string => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** `420 ms`, `1.4 s`, `2:05 min`. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`;
  return `${clock(ms / 1_000)} min`;
}

/** US dollars with a useful precision: `$1.20`, `$0.0087`. */
export function dollars(amount: number): string {
  if (amount === 0) return '$0.00';
  if (amount >= 0.1) return `$${amount.toFixed(2)}`;
  return amount >= 0.0001
    ? `$${amount.toFixed(4)}`
    : `$${amount.toLocaleString('en-US', { maximumSignificantDigits: 1 })}`;
}

export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)} kB`;
  if (count < 1_000_000_000) return `${(count / 1_000_000).toFixed(1)} MB`;
  return `${(count / 1_000_000_000).toFixed(1)} GB`;
}

/** `no_answer` as words: `No answer`. */
export const words = (code: string): string => {
  const text = code.replaceAll(/[_-]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/** Mean opinion score in words, by ITU-T P.800. */
export function gradeOf(mos: number): string {
  if (mos >= 4) return 'good';
  if (mos >= 3.6) return 'fair';
  return mos >= 3.1 ? 'poor' : 'bad';
}

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false };
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };

/** In the time zone of the browser; with the day unless it is today. */
export function localTime(iso: string, now = new Date()): string {
  const date = new Date(iso);
  const time = date.toLocaleTimeString('en-GB', TIME);
  if (date.toDateString() === now.toDateString()) return time;
  const year: Intl.DateTimeFormatOptions = date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' };
  return `${date.toLocaleDateString('en-GB', { ...DAY, ...year })}, ${time}`;
}

/** `2026-01-02 03:04:05.678 UTC`. */
export const utc = (iso: string): string => new Date(iso).toISOString().replace('T', ' ').replace('Z', ' UTC');

/** `[speech 1.4 s]` in a transcript: speech without a transcription. */
export const wordless = (text: string): string | undefined => /^\[speech ([\d.]+ s)\]$/.exec(text)?.[1];

const SHORT = 3;
/** Words of this length also match longer forms (park, parking); longer forms of shorter words are other words (can, cancel). */
const LONG = 4;
const MAX_ENDING_LENGTH = 3;

/** Splits a text at the words of a query: every second part is a match. Only whole words match. */
export function splitAtWords(text: string, query: string): string[] {
  const wanted = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))].filter((word) => word.length >= SHORT);
  if (wanted.length === 0) return [text];
  const forms = wanted.map((word) => (word.length < LONG ? word : `${word}\\p{L}{0,${MAX_ENDING_LENGTH}}`));
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${forms.join('|')})(?![\\p{L}\\p{N}])`, 'giu'));
}
