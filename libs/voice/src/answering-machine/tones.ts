import { FRAME_MS } from '@app/telephony';
import { WINDOW_SAMPLES, frequenciesOf, type Frequencies } from './tone-frequencies.js';

/** A steady tone that has ended. Times are audio time since the first frame. */
export interface Tone {
  frequencies: Frequencies;
  startMs: number;
  endMs: number;
  /** The level of its loudest frame, in dB below full scale. */
  levelDb: number;
}

interface OpenTone extends Tone {
  lastDb: number;
  /** Consecutive frames that did not match. */
  strange: number;
}

/** Quieter tones are ignored. */
const QUIETEST_DB = -45;
/** A faulty generator drifts by 10 Hz; the rest is the error of short windows. */
const WANDER_HZ = 25;
/** Between two frames; a chime decays more slowly, and the swell of ANSam (ITU-T V.8) is under 4 dB. */
const STEADY_DB = 6;
/** A click spoils three windows. */
const STRANGE_FRAMES = 3;

/** Tracks steady tones of any frequency, frame by frame. */
export class Tones {
  private readonly window = new Float64Array(WINDOW_SAMPLES);
  private open: OpenTone | undefined;
  private clockMs = 0;

  /** The duration of the current tone. */
  get lastingMs(): number {
    return this.open ? this.open.endMs - this.open.startMs : 0;
  }

  /** The current tone. */
  get current(): Tone | undefined {
    return this.open;
  }

  /** Takes 20 ms and its level; returns the tone that has just ended. */
  push(samples: Int16Array, levelDb: number): Tone | undefined {
    this.window.copyWithin(0, samples.length);
    this.window.set(samples, WINDOW_SAMPLES - samples.length);
    this.clockMs += FRAME_MS;
    const frequencies = levelDb < QUIETEST_DB ? undefined : frequenciesOf(this.window);
    if (this.open && this.goesOn(this.open, frequencies, levelDb)) return undefined;
    const ended = this.open;
    this.open = frequencies && this.begin(frequencies, levelDb);
    return ended;
  }

  private begin(frequencies: Frequencies, levelDb: number): OpenTone {
    const startMs = this.clockMs - FRAME_MS;
    return { frequencies, startMs, endMs: this.clockMs, levelDb, lastDb: levelDb, strange: 0 };
  }

  private goesOn(tone: OpenTone, frequencies: Frequencies | undefined, levelDb: number): boolean {
    if (Math.abs(levelDb - tone.lastDb) > STEADY_DB) return false;
    if (frequencies && alike(tone.frequencies, frequencies)) {
      Object.assign(tone, { endMs: this.clockMs, lastDb: levelDb, strange: 0 });
      tone.levelDb = Math.max(tone.levelDb, levelDb);
      return true;
    }
    return ++tone.strange <= STRANGE_FRAMES;
  }
}

const alike = (a: Frequencies, b: Frequencies): boolean =>
  a.length === b.length && a.every((frequency, at) => Math.abs(frequency - (b[at] ?? 0)) <= WANDER_HZ);
