import { crc32 } from 'node:zlib';
import { protect } from './reed-solomon.js';

/**
 * Words as sound, beside the speech of a tester caller: tones between 2.8 and 3.6 kHz, one of eight every 10 ms, with Reed-Solomon parity
 * that restores what loss and noise destroy. It passes G.711 and G.722, and the emulated recognisers of the sandbox read it.
 */
export const SAMPLE_RATE = 8_000;
export const SYMBOL_SAMPLES = 80;
export const TONES = Array.from({ length: 8 }, (_, i) => 2_850 + 100 * i);
/** A Costas array marks the beginning of a block: no shifted copy agrees with it in more than one place. */
export const BEGINNING = [3, 1, 4, 0, 6, 5, 2] as const;
export const HEADER_BYTES = 1;
export const HEADER_PARITY = 6;
/** In the header: the text continues in another block. */
export const CONTINUES = 0x80;
const MAX_BYTES = 90;
const BITS = 3;

/** Parity of a block with so many bytes of data: a fifth of the block may be wrong. */
export const parityOf = (bytes: number): number => 2 * Math.ceil(bytes * 0.35) + 6;

/** Every fourth symbol is known: a stalled sender or network inserts frames, which move the symbols behind them. */
export const PILOT_EVERY = 4;
export const pilotAt = (index: number): number => hidden(index + 1_000);

/** A symbol as it is sent: silence, where every tone is equally loud, must not read as a valid block of zeros. */
const hidden = (index: number, symbol = 0): number => (symbol + ((Math.imul(index + 7, 0x9e37_79b1) >>> 13) & 7)) & 7;

/** The inverse of `hidden`. */
export const shown = (index: number, symbol: number): number => (symbol - hidden(index) + 8) & 7;

/** Symbols of so many bytes with their pilots. */
export const sentSymbolsOf = (bytes: number): number =>
  symbolsOf(bytes) + Math.floor(symbolsOf(bytes) / (PILOT_EVERY - 1));

const symbolsOf = (bytes: number): number => Math.ceil((bytes * 8) / BITS);

/** Peak of the tones, of 32,767. */
const LOUDNESS = 1_300;
/** The speech leaves its highest band to the tones. */
const SPEECH_HERTZ = 2_600;
const TAPS = 79;

/** The speech with its words beside it: as long as the speech, or as the words when these take longer. */
export function withWords(speech: Int16Array, text: string): Int16Array {
  const symbols = blocksOf(text).flatMap((block) => [...BEGINNING, ...block]);
  const narrow = lowPassed(speech);
  const sound = new Float64Array(Math.max(speech.length, symbols.length * SYMBOL_SAMPLES));
  sound.set(narrow);
  let phase = 0;
  symbols.forEach((symbol, index) => {
    const step = (2 * Math.PI * TONES[symbol]!) / SAMPLE_RATE;
    for (let at = index * SYMBOL_SAMPLES; at < (index + 1) * SYMBOL_SAMPLES; at++)
      sound[at]! += LOUDNESS * sin((phase += step));
  });
  return Int16Array.from(sound, (sample) => (sample > 32_767 ? 32_767 : sample < -32_768 ? -32_768 : sample));
}

/** The symbols of each block behind its beginning. */
function blocksOf(text: string): number[][] {
  const pieces = piecesOf(text);
  return pieces.map((piece, index) => {
    const header = piece.length | (index < pieces.length - 1 ? CONTINUES : 0);
    const bytes = new Uint8Array(piece.length + 2);
    bytes.set(piece);
    bytes.set(checksum(piece), piece.length);
    return [
      ...withPilots(symbolsIn(protect(Uint8Array.of(header), HEADER_PARITY))),
      ...withPilots(symbolsIn(protect(bytes, parityOf(bytes.length)))),
    ];
  });
}

function withPilots(symbols: readonly number[]): number[] {
  const body: number[] = [];
  for (const symbol of symbols) {
    body.push(hidden(body.length, symbol));
    if (body.length % PILOT_EVERY === PILOT_EVERY - 1) body.push(pilotAt(body.length));
  }
  return body;
}

/** Guards against a block that was corrected into other words. */
export function checksum(bytes: Uint8Array): Uint8Array {
  const sum = crc32(bytes);
  return Uint8Array.of(sum & 0xff, (sum >>> 8) & 0xff);
}

/** UTF-8 in pieces, none of which splits a character. */
function piecesOf(text: string): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let piece = '';
  for (const character of text) {
    if (Buffer.byteLength(piece + character) > MAX_BYTES) {
      pieces.push(Buffer.from(piece));
      piece = '';
    }
    piece += character;
  }
  return [...pieces, Buffer.from(piece)];
}

function symbolsIn(bytes: Uint8Array): number[] {
  return Array.from({ length: symbolsOf(bytes.length) }, (_, index) => {
    let symbol = 0;
    for (let bit = index * BITS; bit < (index + 1) * BITS; bit++)
      symbol = (symbol << 1) | (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1);
    return symbol;
  });
}

/** The inverse of `symbolsIn`. */
export function bytesIn(symbols: readonly number[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  symbols.forEach((symbol, index) => {
    for (let i = 0; i < BITS; i++) {
      const bit = index * BITS + i;
      if (bit < length * 8) bytes[bit >> 3]! |= ((symbol >> (BITS - 1 - i)) & 1) << (7 - (bit & 7));
    }
  });
  return bytes;
}

/** For each byte the least of its symbols' energies. */
export function quietestIn(energies: readonly number[], length: number): number[] {
  return Array.from({ length }, (_, byte) =>
    Math.min(...energies.slice(Math.floor((byte * 8) / BITS), Math.floor((byte * 8 + 7) / BITS) + 1)),
  );
}

/** In a test runner every access to a global such as Math takes a microsecond. */
const { sin } = Math;

const LOW_PASS = Float64Array.from({ length: TAPS }, (_, i) => {
  const x = i - (TAPS - 1) / 2;
  const cut = SPEECH_HERTZ / SAMPLE_RATE;
  const sinc = x === 0 ? 2 * cut : Math.sin(2 * Math.PI * cut * x) / (Math.PI * x);
  return sinc * (0.54 - 0.46 * Math.cos((2 * Math.PI * i) / (TAPS - 1)));
});

function lowPassed(speech: Int16Array): Int16Array {
  const half = (TAPS - 1) / 2;
  const padded = new Float64Array(speech.length + TAPS);
  padded.set(speech, half);
  const out = new Int16Array(speech.length);
  for (let at = 0; at < out.length; at++) {
    let sum = 0;
    for (let i = 0; i < TAPS; i++) sum += LOW_PASS[i]! * padded[at + i]!;
    out[at] = sum;
  }
  return out;
}
