import { decodeSample, silentFrame } from '../codecs/g711.js';
import type { G711 } from '../session/media-port.js';
import { COLUMNS, KEYPAD, ROWS } from './tones.js';

const RATE = 8_000;
/** 12.75 ms: a tone of 40 ms fills two blocks wherever it begins, and neighbouring frequencies are still distinguishable. */
const BLOCK = 102;
const BLOCK_MS = (BLOCK * 1_000) / RATE;
/** Blocks that make a key, and blocks without it that end it (ITU-T Q.24: tones and pauses of 40 ms count, a break of 10 ms does not). */
const BLOCKS_TO_START = 2;
const BLOCKS_TO_END = 3;
/**
 * The two frequencies have at least this share of the energy: a voice has the rest of its harmonics beside them. By column; A deviation
 * of 1.5 % is largest in the last column, where the filter sees less of it.
 */
const MIN_SHARES = [0.8, 0.8, 0.8, 0.74];
/** Column over row, and row over column, as powers (ITU-T Q.24 annex A: 4 to 10 dB). */
const MAX_TWIST = 10 ** (8 / 10);
const MAX_REVERSE_TWIST = 10 ** (6 / 10);
/** The strongest of four frequencies over the others of its group. */
const MIN_LEAD = 10 ** (7 / 10);
/** -42 dBFS: quieter ones are crosstalk or echo. */
const MIN_ENERGY = BLOCK * (32_768 * 10 ** (-42 / 20)) ** 2;

const coefficientsOf = (frequencies: readonly number[]): Float64Array =>
  Float64Array.from(frequencies, (frequency) => 2 * Math.cos((2 * Math.PI * frequency) / RATE));
const ROW_COEFFICIENTS = coefficientsOf(ROWS);
const COLUMN_COEFFICIENTS = coefficientsOf(COLUMNS);

/** Shared: a block is read in one go. */
const rowPowers = new Float64Array(4);
const columnPowers = new Float64Array(4);

/**
 * Detects keys that are sent as audible tones (ITU-T Q.23, limits of Q.24): Goertzel filters over blocks of 12.75 ms. Reports a key once,
 * at the end of its tone.
 */
export class ToneDetector {
  private readonly block = new Float64Array(BLOCK);
  private filled = 0;
  /** The key of the last blocks, and its count in a row. */
  private candidate: string | undefined;
  private times = 0;
  private key: string | undefined;
  private keyBlocks = 0;
  private missing = 0;

  constructor(
    private readonly law: G711,
    private readonly report: (digit: string, durationMs: number) => void,
  ) {}

  /** Takes the next frame. True: the frame contains the tone of a key, or a key is still pressed, so it is not speech. */
  hear(frame: Uint8Array): boolean {
    let isTone = false;
    for (let i = 0; i < frame.length; i++) {
      this.block[this.filled++] = decodeSample(this.law, frame[i] as number);
      if (this.filled < BLOCK) continue;
      this.filled = 0;
      const key = keyIn(this.block);
      isTone ||= key !== undefined;
      this.follow(key);
    }
    return isTone || this.key !== undefined;
  }

  /** Discards the audio so far. */
  reset(): void {
    this.filled = 0;
    this.candidate = undefined;
    this.times = 0;
    this.key = undefined;
  }

  private follow(heard: string | undefined): void {
    this.times = heard === this.candidate ? this.times + 1 : 1;
    this.candidate = heard;
    if (this.key !== undefined) this.extendKey(this.key, heard);
    if (this.key === undefined && heard !== undefined && this.times >= BLOCKS_TO_START) {
      this.key = heard;
      this.keyBlocks = this.times;
      this.missing = 0;
    }
  }

  private extendKey(key: string, heard: string | undefined): void {
    this.missing = heard === key ? 0 : this.missing + 1;
    this.keyBlocks++;
    if (this.missing < BLOCKS_TO_END) return;
    this.key = undefined;
    this.report(key, Math.round((this.keyBlocks - this.missing) * BLOCK_MS));
  }
}

/** The key whose two tones make up nearly the whole block. */
function keyIn(block: Float64Array): string | undefined {
  let energy = 0;
  for (let i = 0; i < BLOCK; i++) energy += (block[i] as number) ** 2;
  if (energy < MIN_ENERGY) return undefined;
  const row = leader(block, ROW_COEFFICIENTS, rowPowers);
  const column = leader(block, COLUMN_COEFFICIENTS, columnPowers);
  if (row < 0 || column < 0) return undefined;
  const [low, high] = [rowPowers[row] as number, columnPowers[column] as number];
  if (high > low * MAX_TWIST || low > high * MAX_REVERSE_TWIST) return undefined;
  // A pure tone has a power of energy x samples / 2.
  if (low + high < ((MIN_SHARES[column] as number) * energy * BLOCK) / 2) return undefined;
  return KEYPAD[row * 4 + column];
}

/** The dominant frequency of its group; -1: none. Leaves their powers in `powers`. */
function leader(block: Float64Array, coefficients: Float64Array, powers: Float64Array): number {
  let best = 0;
  for (let n = 0; n < 4; n++) {
    powers[n] = powerAt(block, coefficients[n] as number);
    if ((powers[n] as number) > (powers[best] as number)) best = n;
  }
  const needed = (powers[best] as number) / MIN_LEAD;
  for (let n = 0; n < 4; n++) if (n !== best && (powers[n] as number) > needed) return -1;
  return best;
}

/** Goertzel: the squared magnitude of one frequency. */
function powerAt(block: Float64Array, coefficient: number): number {
  let [one, two] = [0, 0];
  for (let i = 0; i < BLOCK; i++) {
    const next = (block[i] as number) + coefficient * one - two;
    two = one;
    one = next;
  }
  return one * one + two * two - coefficient * one * two;
}

/** Extracts speech from received audio: audible keys and music on hold become silence. */
export class SpeechFilter {
  private keys: ToneDetector | undefined;

  constructor(
    private readonly law: G711,
    private readonly onKey: (digit: string, durationMs: number) => void,
  ) {}

  /** The frame, or silence. `held`: by the remote party. `listensForKeys`: the remote party has no other way to send keys. */
  of(frame: Buffer, held: boolean, listensForKeys: boolean): Buffer {
    const isKey = listensForKeys && this.toneDetector.hear(frame);
    if (!listensForKeys) this.keys?.reset();
    return isKey || held ? silentFrame(this.law) : frame;
  }

  private get toneDetector(): ToneDetector {
    this.keys ??= new ToneDetector(this.law, this.onKey);
    return this.keys;
  }
}
