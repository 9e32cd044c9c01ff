import { type BandTables, SampleHistory, saturate, SubBand } from './sub-band.js';

/** Taps of the quadrature mirror filters (table 11) in steps of 2^-13: the first half, the other mirrors it. */
const HALF_QMF = [3, -11, -11, 53, 12, -156, 32, 362, -210, -805, 951, 3876];
const TAPS = 24;
const QMF = [...HALF_QMF, ...HALF_QMF.toReversed()];
/** The filter's two phases: the taps for every second sample. */
const EVEN_TAPS = Int32Array.from(QMF.filter((_, i) => i % 2 === 0));
const ODD_TAPS = Int32Array.from(QMF.filter((_, i) => i % 2 === 1));

/** Decision levels of the lower band's 60-level quantizer (table 14) in steps of 2^-12 of the scale factor. */
const LOW_DECISIONS = Int32Array.of(
  ...[35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121],
  ...[1219, 1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919],
);
const HIGH_DECISION = 564;

/** Output levels by magnitude, in steps of 2^-15 of the scale factor: 60 levels (table 17), their upper four bits, the higher band. */
const LOW_OUTPUTS = [
  ...[136, 432, 728, 1040, 1360, 1688, 2032, 2400, 2776, 3168, 3576, 4008, 4464, 4944, 5456, 6000, 6576, 7192, 7856],
  ...[8576, 9360, 10_232, 11_192, 12_280, 13_512, 14_984, 16_704, 19_008, 21_904, 24_808],
];
const COARSE_OUTPUTS = [0, 1200, 2584, 4240, 6288, 8968, 12_896, 20_456];
/** Steps of the lower band's logarithmic scale factor by the magnitude of the upper four bits (table 19). */
const COARSE_STEPS = [-60, -30, 58, 172, 334, 538, 1198, 3042];

/** Magnitude and sign of the upper four bits of a lower-band code: 1-7 are negative, 8-14 positive, the largest first. */
const coarse = (code: number): number => (code === 0 || code === 15 ? 0 : code < 8 ? code - 8 : 15 - code);

/** The adaptation ignores the two lowest bits, because modes 2 and 3 use them for data. */
const LOW_BAND: BandTables = {
  levels: Int16Array.from(
    { length: 16 },
    (_, code) => Math.sign(coarse(code)) * COARSE_OUTPUTS[Math.abs(coarse(code))]!,
  ),
  steps: Int16Array.from({ length: 16 }, (_, code) => COARSE_STEPS[Math.abs(coarse(code))]!),
  limit: 18_432,
  exponent: 8,
  scale: 32,
};
const HIGH_BAND: BandTables = {
  levels: Int16Array.of(-7408, -1616, 7408, 1616),
  steps: Int16Array.of(798, -214, 798, -214),
  limit: 22_528,
  exponent: 10,
  scale: 8,
};

/** Six-bit code of a magnitude (0-29) and a sign; the codes 0-3 are never sent. */
const lowCode = (magnitude: number, negative: boolean): number =>
  negative ? (magnitude < 2 ? 63 : 33) - magnitude : 61 - magnitude;

const LOW_LEVELS = lowLevels();

function lowLevels(): Int16Array {
  const levels = new Int16Array(64).fill(-LOW_OUTPUTS[0]!, 0, 4);
  LOW_OUTPUTS.forEach((level, magnitude) => {
    levels[lowCode(magnitude, false)] = level;
    levels[lowCode(magnitude, true)] = -level;
  });
  return levels;
}

/**
 * ITU-T G.722 at 64 kbit/s (mode 1): 16-bit samples at 16 kHz in two sub-bands of 8 kHz, each coded as ADPCM. A byte holds two
 * samples, its upper two bits the higher band. Bit-exact with FFmpeg's codec in both directions. One instance per stream.
 */
export class G722Encoder {
  private readonly low = new SubBand(LOW_BAND);
  private readonly high = new SubBand(HIGH_BAND);
  private readonly history = new SampleHistory(TAPS - 2);

  /** An even number of samples to half as many bytes, written to `target`. */
  encode(pcm: Int16Array, target: Uint8Array): void {
    const window = this.history.with(pcm);
    for (let at = 0; at < pcm.length; at += 2) {
      let even = 0;
      let odd = 0;
      for (let tap = 0; tap < TAPS / 2; tap++) {
        even += window[at + 2 * tap]! * EVEN_TAPS[tap]!;
        odd += window[at + 2 * tap + 1]! * ODD_TAPS[tap]!;
      }
      target[at >> 1] = (this.encodeHigh((odd - even) >> 14) << 6) | this.encodeLow((odd + even) >> 14);
    }
  }

  private encodeLow(sample: number): number {
    const { low } = this;
    const difference = saturate(sample - low.predicted);
    const size = difference < 0 ? ~difference : difference;
    let magnitude = 0;
    while (magnitude < LOW_DECISIONS.length && size >= (LOW_DECISIONS[magnitude]! * low.scale) >> 12) magnitude++;
    const code = lowCode(magnitude, difference < 0);
    low.adapt(code >> 2);
    return code;
  }

  private encodeHigh(sample: number): number {
    const { high } = this;
    const difference = saturate(sample - high.predicted);
    const size = difference < 0 ? ~difference : difference;
    const isLarge = size >= (HIGH_DECISION * high.scale) >> 12;
    const code = (difference < 0 ? 0 : 2) + (isLarge ? 0 : 1);
    high.adapt(code);
    return code;
  }
}

/** The other direction. Takes any bytes. */
export class G722Decoder {
  private readonly low = new SubBand(LOW_BAND);
  private readonly high = new SubBand(HIGH_BAND);
  private readonly history = new SampleHistory(TAPS - 2);
  private bands = new Int16Array(0);

  /** Bytes to twice as many samples at 16 kHz, written to `pcm`. */
  decode(encoded: Uint8Array, pcm: Int16Array): void {
    const window = this.history.with(this.decodeBands(encoded));
    for (let at = 0; at < pcm.length; at += 2) {
      let even = 0;
      let odd = 0;
      for (let tap = 0; tap < TAPS / 2; tap++) {
        even += window[at + 2 * tap]! * EVEN_TAPS[tap]!;
        odd += window[at + 2 * tap + 1]! * ODD_TAPS[tap]!;
      }
      pcm[at] = saturate(odd >> 11);
      pcm[at + 1] = saturate(even >> 11);
    }
  }

  /** Sum and difference of the bands, as input of the receiving filter; both fit into 16 bits, because a band has 15. */
  private decodeBands(encoded: Uint8Array): Int16Array {
    if (this.bands.length !== 2 * encoded.length) this.bands = new Int16Array(2 * encoded.length);
    for (let i = 0; i < encoded.length; i++) {
      const low = this.decodeLow(encoded[i]! & 0x3f);
      const high = this.decodeHigh(encoded[i]! >> 6);
      this.bands[2 * i] = low + high;
      this.bands[2 * i + 1] = low - high;
    }
    return this.bands;
  }

  private decodeLow(code: number): number {
    const { low } = this;
    const sample = limited(low.predicted + ((low.scale * LOW_LEVELS[code]!) >> 15));
    low.adapt(code >> 2);
    return sample;
  }

  private decodeHigh(code: number): number {
    const { high } = this;
    const sample = limited(high.predicted + high.difference(code));
    high.adapt(code);
    return sample;
  }
}

/** LIMIT: the sub-bands have 15 bits. */
const limited = (sample: number): number => (sample > 16_383 ? 16_383 : sample < -16_384 ? -16_384 : sample);
