import { correct } from './reed-solomon.js';
import {
  BEGINNING,
  bytesIn,
  checksum,
  CONTINUES,
  HEADER_BYTES,
  HEADER_PARITY,
  parityOf,
  PILOT_EVERY,
  pilotAt,
  quietestIn,
  SAMPLE_RATE,
  sentSymbolsOf,
  shown,
  SYMBOL_SAMPLES,
  TONES,
} from './word-signal.js';

/** The tones are measured twice in a symbol. */
const HOPS = 2;
const HOP_SAMPLES = SYMBOL_SAMPLES / HOPS;
/** 20 ms, the frames of RTP. */
const FRAME_HOPS = 2 * HOPS;
/** Frames that may be inserted into a block: 0.8 s. */
const MAX_INSERTED = 40;
const MAX_INSERTED_IN_HEADER = 15;
/** Of its usual energy: a symbol with less was lost. */
const LOST_SHARE = 0.1;
/** Parity that is not spent on lost bytes: it finds that a block is not one, and a few wrong bytes. */
const SPARE_PARITY = 6;
const SPARE_HEADER_PARITY = 2;
/** In pilots: a single pilot that fits by chance is not an insertion. */
const INSERTION_COST = 1.5;
const BEGINNING_HOPS = BEGINNING.length * HOPS;
/** Share of the tones' energy that must be where a beginning has it; noise has an eighth there. */
const BEGINNING_SHARE = 0.5;
/** Of a beginning; the other symbols may be lost. */
const MIN_SYMBOLS = 5;
/** 60 ms. */
const MAX_LOST_SAMPLES = 480;
/** The mean absolute sample of a frame in which tones are looked for. */
const AUDIBLE = 60;

/** Cosine and sine of each tone, for each sample of a symbol. */
const WAVES = Float64Array.from({ length: SYMBOL_SAMPLES * TONES.length * 2 }, (_, i) => {
  const angle = (2 * Math.PI * TONES[(i >> 1) % TONES.length]! * Math.floor(i / (2 * TONES.length))) / SAMPLE_RATE;
  return i % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
});

/** A block whose beginning was found; positions count hops. */
interface Block {
  /** The first symbol behind the beginning. */
  from: number;
  share: number;
  header?: { bytes: number; continues: boolean; from: number };
}

/** Reads the words that `withWords` put beside speech, out of a stream of audio. */
export class WordReader {
  private samples = new Float64Array(0);
  /** The energies of the tones at each hop since `firstHop`. */
  private energies: Float64Array[] = [];
  private firstHop = 0;
  private block: Block | undefined;
  private text: Buffer[] = [];
  /** Samples since the last audible frame. */
  private quiet = MAX_LOST_SAMPLES;

  /** Whether a block of words has begun and is not complete. */
  get isReading(): boolean {
    return this.block?.header !== undefined || this.text.length > 0;
  }

  /** Takes audio at 8 kHz. Returns the text that ends in it. */
  push(frame: Int16Array): string | undefined {
    // A lost packet may be silent as well.
    this.quiet = isAudible(frame) ? 0 : this.quiet + frame.length;
    if (!this.block && this.quiet > MAX_LOST_SAMPLES) {
      this.rest(frame.length);
      return undefined;
    }
    const samples = new Float64Array(this.samples.length + frame.length);
    samples.set(this.samples);
    samples.set(frame, this.samples.length);
    let text: string | undefined;
    let at = 0;
    for (; at + SYMBOL_SAMPLES <= samples.length; at += HOP_SAMPLES) {
      this.energies.push(energiesOf(samples, at));
      text = this.look() ?? text;
    }
    this.samples = samples.slice(at);
    return text;
  }

  /** Nothing is audible: the search begins anew. */
  private rest(samples: number): void {
    if (this.energies.length === 0 && this.samples.length === 0) return;
    this.firstHop += this.energies.length + Math.ceil(samples / HOP_SAMPLES);
    this.energies = [];
    this.samples = new Float64Array(0);
  }

  private look(): string | undefined {
    const now = this.firstHop + this.energies.length - 1;
    const { block } = this;
    if (!block || now < block.from) {
      this.search(now);
      return undefined;
    }
    if (!block.header) return this.readHeader(block, now);
    const { bytes, continues, from } = block.header;
    const parity = parityOf(bytes + 2);
    const length = bytes + 2 + parity;
    const lateHops = now - from - (sentSymbolsOf(length) - 1) * HOPS;
    // Inserted frames delay the end: it is tried again with every further one.
    if (lateHops < 0 || lateHops % FRAME_HOPS !== 0) return undefined;
    const { bytes: read, doubtful } = this.read(from, length, lateHops / FRAME_HOPS);
    const words = wordsIn(read, parity, []) ?? wordsIn(read, parity, doubtful.slice(0, parity - SPARE_PARITY));
    if (!words && lateHops < MAX_INSERTED * FRAME_HOPS) return undefined;
    this.block = undefined;
    // Half of a text would be another text.
    this.text = words ? [...this.text, Buffer.from(words)] : [];
    if (!words || continues) return undefined;
    const text = Buffer.concat(this.text).toString();
    this.text = [];
    return text;
  }

  private readHeader(block: Block, now: number): undefined {
    const length = HEADER_BYTES + HEADER_PARITY;
    const end = block.from + sentSymbolsOf(length) * HOPS;
    const lateHops = now - (end - HOPS);
    if (lateHops < 0 || lateHops % FRAME_HOPS !== 0) return;
    const { bytes, doubtful, inserted } = this.read(block.from, length, lateHops / FRAME_HOPS);
    const erased = doubtful.slice(0, HEADER_PARITY - SPARE_HEADER_PARITY);
    const [header = 0] = correct(bytes, HEADER_PARITY) ?? correct(bytes, HEADER_PARITY, erased) ?? [];
    const count = header & ~CONTINUES;
    if (count > 0)
      block.header = { bytes: count, continues: (header & CONTINUES) !== 0, from: end + inserted * FRAME_HOPS };
    else if (lateHops >= MAX_INSERTED_IN_HEADER * FRAME_HOPS) this.block = undefined;
  }

  /** Finds the beginning of a block that ends now; the best one of the next symbol counts. */
  private search(now: number): void {
    const first = this.energies.length - 1 - (BEGINNING_HOPS - HOPS);
    if (first < -(BEGINNING.length - MIN_SYMBOLS) * HOPS) return;
    let [right, all] = [0, 0];
    BEGINNING.forEach((tone, i) => {
      const energies = this.energies[first + i * HOPS];
      if (!energies) return;
      right += energies[tone]!;
      for (const energy of energies) all += energy;
    });
    const share = all === 0 ? 0 : right / all;
    if (share > Math.max(BEGINNING_SHARE, this.block?.share ?? 0)) this.block = { from: now + HOPS, share };
    if (this.block) return;
    const old = this.energies.length - 2 * BEGINNING_HOPS;
    if (old < BEGINNING_HOPS) return;
    this.energies.splice(0, old);
    this.firstHop += old;
  }

  /** Bytes into which at most so many frames were inserted, and how many were. `doubtful`: bytes that were lost, the worst ones first. */
  private read(
    from: number,
    length: number,
    most: number,
  ): { bytes: Uint8Array; doubtful: number[]; inserted: number } {
    const count = sentSymbolsOf(length);
    const before = this.insertedBefore(from, count, most);
    const inserted = before.at(-1) ?? 0;
    const symbols: number[] = [];
    const energies: number[] = [];
    for (let i = 0; i < count; i++) {
      const isPilot = i % PILOT_EVERY === PILOT_EVERY - 1;
      const late = before[Math.floor(i / PILOT_EVERY)] ?? inserted;
      if (isPilot) continue;
      const { tone, energy } = this.loudest(from + i * HOPS + late * FRAME_HOPS);
      symbols.push(shown(i, tone));
      energies.push(energy);
    }
    return { bytes: bytesIn(symbols, length), doubtful: lostBytes(energies, length), inserted };
  }

  /** The number of frames that were inserted before each pilot: the path that finds most of the pilots (Viterbi). */
  private insertedBefore(from: number, count: number, most: number): number[] {
    let scores = Array.from({ length: most + 1 }, (_, late) => (late === 0 ? 0 : -INSERTION_COST));
    const origins: number[][] = [];
    for (let i = PILOT_EVERY - 1; i < count; i += PILOT_EVERY) {
      let best = 0;
      const cameFrom = scores.map((score, late) => {
        if (score >= scores[best]! - (late === best ? 0 : INSERTION_COST)) best = late;
        return best;
      });
      origins.push(cameFrom);
      scores = cameFrom.map((origin, late) => {
        const moved = origin === late ? 0 : INSERTION_COST;
        return scores[origin]! - moved + this.shareOf(pilotAt(i), from + i * HOPS + late * FRAME_HOPS);
      });
    }
    let late = scores.reduce((best, score, i) => (score > scores[best]! ? i : best), 0);
    return origins
      .toReversed()
      .map((cameFrom) => {
        const here = late;
        late = cameFrom[late]!;
        return here;
      })
      .toReversed();
  }

  /** The share of a tone at a hop. */
  private shareOf(tone: number, hop: number): number {
    const energies = this.energies[hop - this.firstHop];
    if (!energies) return 0;
    const all = energies.reduce((sum, energy) => sum + energy, 0);
    return all === 0 ? 0 : energies[tone]! / all;
  }

  private loudest(hop: number): { tone: number; energy: number } {
    const energies = this.energies[hop - this.firstHop];
    const tone = energies?.reduce((best, energy, i) => (energy > energies[best]! ? i : best), 0) ?? 0;
    return { tone, energy: energies?.[tone] ?? 0 };
  }
}

/** The words of a block; undefined: it has too many wrong bytes. */
function wordsIn(block: Uint8Array, parity: number, doubtful: readonly number[]): Uint8Array | undefined {
  const data = correct(block, parity, doubtful);
  const words = data?.subarray(0, -2);
  return data && words && Buffer.from(checksum(words)).equals(data.subarray(-2)) ? words : undefined;
}

/** Bytes with a symbol that is much quieter than the others: a lost packet leaves silence or a fading echo. The quietest ones first. */
function lostBytes(energies: readonly number[], length: number): number[] {
  const usual = energies.toSorted((a, b) => a - b)[energies.length >> 1] ?? 0;
  return quietestIn(energies, length)
    .map((energy, index) => ({ index, energy }))
    .filter(({ energy }) => energy < usual * LOST_SHARE)
    .toSorted((a, b) => a.energy - b.energy)
    .map(({ index }) => index);
}

function energiesOf(samples: Float64Array, at: number): Float64Array {
  const sums = new Float64Array(TONES.length * 2);
  for (let i = 0, wave = 0; i < SYMBOL_SAMPLES; i++) {
    const sample = samples[at + i]!;
    for (let k = 0; k < sums.length; k++) sums[k]! += WAVES[wave++]! * sample;
  }
  return Float64Array.from(TONES, (_, tone) => sums[2 * tone]! ** 2 + sums[2 * tone + 1]! ** 2);
}

function isAudible(frame: Int16Array): boolean {
  let sum = 0;
  for (const sample of frame) sum += sample < 0 ? -sample : sample;
  return sum > AUDIBLE * frame.length;
}
