/** Taps on each side of the centre, per phase of the slower rate: about 60 dB of attenuation above the pass band. */
const REACH = 24;
const PASS_BAND = 0.94;

/**
 * Resamples a stream by a ratio of whole numbers, in pieces of any length. Only the taps of wanted outputs are computed (polyphase),
 * about 20 µs for 20 ms of audio, so it may run in the thread of the audio.
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

/** The sum of a phase is computed in steps of so many taps; with fewer the checks of array bounds cost more than the sums. */
const STEP = 8;
/** Room for pieces up to this length is kept for the next one. */
const MAX_KEPT = 4_096;

/** Raises the rate `up` times and lowers it `down` times. */
class Polyphase implements StreamResampler {
  /** The taps of each phase, the latest sample's last, after zeros that fill up to whole steps. */
  private readonly phases: Float64Array[];
  private readonly perPhase: number;
  /** The last `perPhase - 1` samples, and those of the current piece. */
  private line: Float64Array;
  /** The position of the next output, in steps of the raised rate after the beginning of the next piece. */
  private next = 0;

  constructor(
    private readonly up: number,
    private readonly down: number,
  ) {
    const slower = Math.max(up, down);
    const perPhase = STEP * Math.ceil((2 * REACH * slower) / up / STEP);
    const taps = lowPass(slower, up);
    this.perPhase = perPhase;
    this.phases = Array.from({ length: up }, (_, phase) =>
      Float64Array.from({ length: perPhase }, (_tap, i) => taps[(perPhase - 1 - i) * up + phase] ?? 0),
    );
    this.line = new Float64Array(perPhase - 1);
  }

  push(samples: Int16Array): Int16Array {
    const { phases, perPhase, up, down } = this;
    const line = this.lineWith(samples);
    const end = samples.length * up;
    const out = new Int16Array(Math.max(0, Math.ceil((end - this.next) / down)));
    let { next } = this;
    for (let n = 0; n < out.length; n++, next += down) {
      const phase = next % up;
      const taps = phases[phase]!;
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let k = 0, at = (next - phase) / up; k < perPhase; k += STEP, at += STEP) {
        a += taps[k]! * line[at]! + taps[k + 4]! * line[at + 4]!;
        b += taps[k + 1]! * line[at + 1]! + taps[k + 5]! * line[at + 5]!;
        c += taps[k + 2]! * line[at + 2]! + taps[k + 6]! * line[at + 6]!;
        d += taps[k + 3]! * line[at + 3]! + taps[k + 7]! * line[at + 7]!;
      }
      out[n] = clip(a + b + (c + d));
    }
    this.next = next - end;
    this.line.set(line.subarray(samples.length, samples.length + perPhase - 1));
    return out;
  }

  private lineWith(samples: Int16Array): Float64Array {
    const { line, perPhase } = this;
    const length = perPhase - 1 + samples.length;
    let room = line;
    if (line.length < length) {
      room = new Float64Array(length);
      room.set(line.subarray(0, perPhase - 1));
      if (samples.length <= MAX_KEPT) this.line = room;
    }
    room.set(samples, perPhase - 1);
    return room;
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
