import { Problem } from './problem.js';

const UNITS_MS: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `12h`, `30d`, `4w` from now, or a date in the future. Throws Problem. */
export function expiryOf(text: string, now: Date, option = '--expires'): Date {
  const at = fromNow(text, now) ?? new Date(text);
  if (at.getTime() > now.getTime()) return at;
  throw new Problem(`${option} "${text}" is no time in the future. Examples: 12h, 30d, 2027-01-31`);
}

function fromNow(text: string, now: Date): Date | undefined {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const ms = unit && UNITS_MS[unit];
  return ms ? new Date(now.getTime() + Number(count) * ms) : undefined;
}
