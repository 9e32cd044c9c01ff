import { digitOfEvent, eventsOfDigits } from './dtmf.js';

const RATE = 8_000;
const SAMPLES_PER_MS = RATE / 1_000;
/** Per tone and in steps of a 16-bit sample: -13 dBm0, the level of call progress tones (ITU-T E.180). */
const LEVEL = 5_000;
/** Rise and fall, against clicks. */
const EDGE_SAMPLES = 5 * SAMPLES_PER_MS;

/** Row and column frequency of each key, in Hz (ITU-T Q.23). */
export const ROWS = [697, 770, 852, 941];
export const COLUMNS = [1209, 1336, 1477, 1633];
export const KEYPAD = '123A456B789C*0#D';

/** Sine waves of the given frequencies (Hz) added up: 16-bit samples at 8 kHz. No frequency gives silence. */
export function tone(frequencies: number[], ms: number, level = LEVEL): Int16Array {
  const pcm = new Int16Array(Math.round(ms * SAMPLES_PER_MS));
  for (let i = 0; i < pcm.length; i++) {
    const edge = Math.min(1, (i + 1) / EDGE_SAMPLES, (pcm.length - i) / EDGE_SAMPLES);
    let sum = 0;
    for (const frequency of frequencies) sum += Math.sin((2 * Math.PI * frequency * i) / RATE);
    pcm[i] = Math.round(sum * edge * level);
  }
  return pcm;
}

export const silence = (ms: number): Int16Array => tone([], ms);

/** One cycle of six seconds, North American cadence; to be repeated while ringing. */
export const ringback = (): Int16Array => join([tone([440, 480], 2_000), silence(4_000)]);

/** One cycle of a second. */
export const busyTone = (): Int16Array => join([tone([480, 620], 500), silence(500)]);

/** The beep of an answering machine. */
export const beep = (ms = 400): Int16Array => tone([1_000], ms, 2 * LEVEL);

/** Keys as audible tones, for remote parties without RFC 4733. Throws InvalidDigits. */
export function dtmfTones(digits: string, toneMs = 100, gapMs = 100): Int16Array {
  const parts = eventsOfDigits(digits).flatMap((event) => {
    const key = KEYPAD.indexOf(digitOfEvent(event) as string);
    const pair = [ROWS[key >> 2] as number, COLUMNS[key & 3] as number];
    return [tone(pair, toneMs), silence(gapMs)];
  });
  return join(parts);
}

export function join(parts: Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
