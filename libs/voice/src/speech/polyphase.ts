/** Taps on each side of the centre, per phase of the slower rate: about 60 dB of attenuation above the pass band. */
const REACH = 24;
const PASS_BAND = 0.94;

/**
 * Resamples a stream by a ratio of whole numbers, in pieces of any length. Only the taps of wanted outputs are computed (polyphase),
 * about 40 µs for 20 ms of audio, so it may run in the thread of the audio.
 */
export interface StreamResampler {
  push(samples: Int16Array): Int16Array;
}

/** Raises the rate `factor` times. Delay: 24 input samples. */
export const interpolator = (factor: number): StreamResampler => new Polyphase(factor, 1);

/** Lowers the rate `factor` times. Delay: 24 output samples. */
export const decimator = (factor: number): StreamResampler => new Polyphase(1, factor);

/** From one rate to another, in Hz. Delay: 24 samples of the lower rate. */
export function resampler(from: number, to: number): StreamResampler {
  if (from === to) return { push: (samples) => samples };
  const common = greatestCommonDivisor(from, to);
  return new Polyphase(to / common, from / common);
}

const greatestCommonDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestCommonDivisor(other, one % other);

/** Raises the rate `up` times and lowers it `down` times. */
class Polyphase implements StreamResampler {
  private readonly taps: Float64Array;
  private readonly perPhase: number;
  private readonly line: DelayLine;
  /** The position of the next output, in steps of the raised rate after the beginning of the next piece. */
  private next = 0;

  constructor(
    private readonly up: number,
    private readonly down: number,
  ) {
    const slower = Math.max(up, down);
    this.perPhase = Math.ceil((2 * REACH * slower) / up);
    this.taps = new Float64Array(this.perPhase * up);
    this.taps.set(lowPass(slower, up));
    this.line = new DelayLine(this.perPhase - 1);
  }

  push(samples: Int16Array): Int16Array {
    const { taps, perPhase, up, down } = this;
    const input = this.line.extended(samples);
    const end = samples.length * up;
    const out = new Int16Array(Math.max(0, Math.ceil((end - this.next) / down)));
    for (let n = 0; n < out.length; n++, this.next += down) {
      const phase = this.next % up;
      const latest = (this.next - phase) / up + perPhase - 1;
      let sum = 0;
      for (let k = 0; k < perPhase; k++) sum += taps[k * up + phase]! * input[latest - k]!;
      out[n] = clip(sum);
    }
    this.next -= end;
    return out;
  }
}

/** Resamples a stream without delay: the output begins with the input, and has exactly its duration after `end()`. */
interface AlignedResampler {
  push(samples: Int16Array): Int16Array;
  /** The samples that were held back. */
  end(): Int16Array;
}

/** For rates whose ratio is a whole number or one and a half, such as 24 to 8 or to 16 kHz. */
export function alignedResampler(rate: number, wanted: number): AlignedResampler {
  const up = Number.isInteger(rate / wanted) || rate < wanted ? Math.max(1, wanted / rate) : 2;
  const down = (rate * up) / wanted;
  if (!Number.isInteger(up) || !Number.isInteger(down)) throw new Error(`No resampling from ${rate} to ${wanted} Hz.`);
  const stages = [...(up > 1 ? [interpolator(up)] : []), ...(down > 1 ? [decimator(down)] : [])];
  /** In outputs. */
  const delay = (up > 1 ? (REACH * up) / down : 0) + (down > 1 ? REACH : 0);
  let skip = delay;
  let taken = 0;
  let given = 0;
  const push = (samples: Int16Array): Int16Array => {
    const out = stages.reduce((piece, stage) => stage.push(piece), samples);
    const dropped = Math.min(skip, out.length);
    skip -= dropped;
    given += out.length - dropped;
    return out.subarray(dropped);
  };
  return {
    push(samples) {
      taken += samples.length;
      return push(samples);
    },
    end() {
      const missing = Math.ceil((taken * wanted) / rate) - given;
      return push(new Int16Array(Math.ceil(((delay + 1) * rate) / wanted))).subarray(0, missing);
    },
  };
}

/** The last samples of a stream, in front of the next ones. */
class DelayLine {
  private past: Int16Array;

  constructor(length: number) {
    this.past = new Int16Array(length);
  }

  extended(samples: Int16Array): Int16Array {
    const all = new Int16Array(this.past.length + samples.length);
    all.set(this.past);
    all.set(samples, this.past.length);
    this.past = all.slice(all.length - this.past.length);
    return all;
  }
}

/** Symmetric windowed sinc, cut off just below half the slower rate; `gain` makes up for the inserted zeros of an interpolation. */
function lowPass(factor: number, gain: number): Float64Array {
  const length = 2 * REACH * factor;
  const centre = (length - 1) / 2;
  const taps = Float64Array.from({ length }, (_, i) => {
    const x = ((i - centre) / factor) * PASS_BAND;
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
    const at = (2 * Math.PI * (i + 0.5)) / length;
    return sinc * (0.42 - 0.5 * Math.cos(at) + 0.08 * Math.cos(2 * at));
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => (tap / sum) * gain);
}

const { round } = Math;

function clip(value: number): number {
  const sample = round(value);
  return sample > 32_767 ? 32_767 : sample < -32_768 ? -32_768 : sample;
}
