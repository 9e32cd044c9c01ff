import type { Frequencies } from './tone-frequencies.js';
import type { Tone } from './tones.js';

/** Published beeps last from 120 ms (a US mobile carrier) to 1.5 s; the detector loses up to a frame at their beginning. */
const SHORTEST_BEEP_MS = 100;
const LONGEST_BEEP_MS = 4_000;
const LOWEST_BEEP_HZ = 330;

/** Single dial, ringing and busy tones lie here (ITU-T E.180), mostly at 425 Hz. */
const PROGRESS_HZ = [400, 500] as const;
/** North American dial and busy tones. */
const PROGRESS_PAIRS = [
  [350, 440],
  [480, 620],
] as const;
/** North American ringing: 440 and 480 Hz cannot be resolved in 40 ms, and look like one tone between them. */
const RINGING_HZ = [454, 466] as const;

/** ITU-T Q.23. */
const KEY_ROWS_HZ = [697, 770, 852, 941];
const KEY_COLUMNS_HZ = [1209, 1336, 1477, 1633];
const KEY_TOLERANCE = 0.025;

/** ITU-T T.30: 2.6 to 4 s of 2100 Hz. */
const FAX_HZ = 2100;
const FAX_TOLERANCE_HZ = 20;
const FAX_MS = 1_500;

/** The special information tones: nominal 950, 1400, 1800 Hz, and the North American values. */
const INTERCEPT_HZ = [
  [890, 1010],
  [1340, 1460],
  [1740, 1840],
] as const;
const INTERCEPT_GAP_MS = 100;
const INTERCEPT_MS = [180, 480] as const;

/**
 * Whether a tone followed by silence is a beep. A progress tone sounds like a beep; it counts as one only after speech
 * (`afterSpeech`).
 */
export function isBeep(tone: Tone, afterSpeech: boolean): boolean {
  const ms = tone.endMs - tone.startMs;
  if (ms < SHORTEST_BEEP_MS || ms > LONGEST_BEEP_MS) return false;
  const [first, second] = tone.frequencies;
  if (first < LOWEST_BEEP_HZ || within(first, RINGING_HZ)) return false;
  if (second === undefined) return afterSpeech || !within(first, PROGRESS_HZ);
  return !isProgressPair(first, second) && !isKey(tone.frequencies);
}

/** Whether a current or ended tone is that of a fax. */
export function isFax({ frequencies: [first, second], startMs, endMs }: Tone): boolean {
  return second === undefined && Math.abs(first - FAX_HZ) <= FAX_TOLERANCE_HZ && endMs - startMs >= FAX_MS;
}

/** Whether the last three tones of a call are the special information tones. */
export function isIntercept(tones: readonly Tone[]): boolean {
  return (
    tones.length === INTERCEPT_HZ.length &&
    tones.every((tone, at) => {
      const gapMs = tone.startMs - (tones[at - 1]?.endMs ?? tone.startMs);
      const band = INTERCEPT_HZ[at];
      const lasts = within(tone.endMs - tone.startMs, INTERCEPT_MS);
      return (
        tone.frequencies.length === 1 && band && within(tone.frequencies[0], band) && lasts && gapMs <= INTERCEPT_GAP_MS
      );
    })
  );
}

const isProgressPair = (low: number, high: number): boolean =>
  PROGRESS_PAIRS.some(([a, b]) => Math.abs(low - a) <= 15 && Math.abs(high - b) <= 15);

function isKey([low, high]: Frequencies): boolean {
  const near = (list: number[]) => (hz: number) => list.some((key) => Math.abs(hz - key) <= key * KEY_TOLERANCE);
  return high !== undefined && near(KEY_ROWS_HZ)(low) && near(KEY_COLUMNS_HZ)(high);
}

const within = (value: number, [least, most]: readonly [number, number]): boolean => value >= least && value <= most;
