/** A column of numbers, as narrow as its largest value allows. */
export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

type Width = 1 | 2 | 4 | 8;

const KINDS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;

function widthFor(values: ArrayLike<number>): Width {
  let [least, most] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value > most) most = value;
    if (value < least) least = value;
  }
  if (least < 0 || most > 0xffffffff) return 8;
  if (most > 0xffff) return 4;
  return most > 0xff ? 2 : 1;
}

/** The width of a number, and the numbers; little-endian, as the processors that Node runs on. */
export function encode(values: ArrayLike<number>): Buffer {
  const width = widthFor(values);
  const { buffer } = KINDS[width].from(values);
  return Buffer.concat([Buffer.of(width), Buffer.from(buffer)]);
}

export const DAMAGED = 'A column of a rollup block is damaged.';

/** Reads `length` numbers from `offset` on. */
export function decode(bytes: Uint8Array, length: number, offset = 0): { numbers: Numbers; end: number } {
  const width = bytes[offset] as Width;
  const end = offset + 1 + length * width;
  if (KINDS[width] === undefined || end > bytes.length) throw new Error(DAMAGED);
  // A copy: typed arrays begin at a multiple of their width, and `bytes` may be a part of a larger buffer.
  const buffer = bytes.buffer.slice(bytes.byteOffset + offset + 1, bytes.byteOffset + end) as ArrayBuffer;
  return { numbers: new KINDS[width](buffer), end };
}

/** Sums by number from 0, for numbers that come up over time. */
export class GrowingSums {
  private sums = new Float64Array(16);

  /** The sums of at least `count` numbers; valid until the next call. */
  of(count: number): Float64Array {
    if (this.sums.length < count) {
      const larger = new Float64Array(Math.max(count, 2 * this.sums.length));
      larger.set(this.sums);
      this.sums = larger;
    }
    return this.sums;
  }
}
