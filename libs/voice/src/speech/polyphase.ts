/** Taps on each side of the centre, per phase of the slower rate: about 60 dB of attenuation above the pass band. */
const REACH = 24;
const PASS_BAND = 0.94;

/**
 * Resamples a stream by a whole factor, in pieces of any length: `interpolator` raises the rate, `decimator` lowers it. Only the taps of
 * wanted outputs are computed (polyphase), about 40 µs for 20 ms of audio, so it may run in the thread of the audio.
 */
export interface StreamResampler {
  push(samples: Int16Array): Int16Array;
}

/** Raises the rate `factor` times. Delay: 24 input samples. */
export function interpolator(factor: number): StreamResampler {
  const taps = lowPass(factor, factor);
  const perPhase = taps.length / factor;
  const line = new DelayLine(perPhase - 1);
  return {
    push(samples) {
      const input = line.extended(samples);
      const out = new Int16Array(samples.length * factor);
      for (let i = 0; i < samples.length; i++) {
        for (let phase = 0; phase < factor; phase++) {
          let sum = 0;
          for (let k = 0; k < perPhase; k++) sum += taps[k * factor + phase]! * input[i + perPhase - 1 - k]!;
          out[i * factor + phase] = clipped(sum);
        }
      }
      return out;
    },
  };
}

/** Lowers the rate `factor` times. Delay: 24 output samples. */
export function decimator(factor: number): StreamResampler {
  const taps = lowPass(factor, 1);
  const line = new DelayLine(taps.length - 1);
  /** Input samples before the next output. */
  let skip = 0;
  return {
    push(samples) {
      const input = line.extended(samples);
      const out = new Int16Array(Math.max(0, Math.ceil((samples.length - skip) / factor)));
      for (let n = 0; n < out.length; n++) {
        const from = skip + n * factor;
        let sum = 0;
        for (let k = 0; k < taps.length; k++) sum += taps[k]! * input[from + k]!;
        out[n] = clipped(sum);
      }
      skip += out.length * factor - samples.length;
      return out;
    },
  };
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

function clipped(value: number): number {
  const sample = round(value);
  return sample > 32_767 ? 32_767 : sample < -32_768 ? -32_768 : sample;
}
