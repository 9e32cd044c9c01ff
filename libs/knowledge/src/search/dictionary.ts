/**
 * Terms by their 64-bit hashes, numbered in the order they came. Typed arrays instead of a Map of strings: a quarter of the
 * memory, and nothing for the garbage collector to walk.
 */
export class Dictionary {
  size = 0;
  /** Both halves of a term side by side: of what a look-up costs, most is waiting for memory. */
  private hashes = new Uint32Array(512);
  /** Open addressing; what stands there is the term's number + 1. Sixteen tables, so that growing one is never a long pause. */
  private readonly tables = Array.from({ length: TABLES }, () => new Int32Array(32));
  private readonly filled = new Int32Array(TABLES);

  /** The number of a term, -1 when it is not known. */
  idOf(low: number, high: number): number {
    const table = this.tables[high % TABLES]!;
    return table[this.placeIn(table, low, high)]! - 1;
  }

  /** The number of a term, a new one when it is not known. */
  add(low: number, high: number): number {
    const part = high % TABLES;
    const table = this.tables[part]!;
    const place = this.placeIn(table, low, high);
    if (table[place] !== 0) return table[place]! - 1;
    const id = this.size++;
    if (id * 2 === this.hashes.length) this.hashes = resized(this.hashes, id * 4);
    this.hashes[id * 2] = low;
    this.hashes[id * 2 + 1] = high;
    table[place] = id + 1;
    this.filled[part]! += 1;
    if (this.filled[part]! * 3 > table.length * 2) this.rehash(part);
    return id;
  }

  /** Gives back what growing took in advance. */
  trim(): void {
    this.hashes = resized(this.hashes, this.size * 2);
  }

  get bytes(): number {
    return this.tables.reduce((sum, table) => sum + table.byteLength, this.hashes.byteLength);
  }

  private placeIn(table: Int32Array, low: number, high: number): number {
    const mask = table.length - 1;
    for (let place = low & mask; ; place = (place + 1) & mask) {
      const id = table[place]! - 1;
      if (id < 0 || (this.hashes[id * 2] === low && this.hashes[id * 2 + 1] === high)) return place;
    }
  }

  private rehash(part: number): void {
    const old = this.tables[part]!;
    const table = new Int32Array(old.length * 2);
    this.tables[part] = table;
    for (const entry of old) {
      if (entry === 0) continue;
      const at = (entry - 1) * 2;
      table[this.placeIn(table, this.hashes[at]!, this.hashes[at + 1]!)] = entry;
    }
  }
}

const TABLES = 16;

type Unsigned = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** A copy with another length. */
export function resized<T extends Unsigned>(array: T, length: number): T {
  const copy = new (array.constructor as new (length: number) => T)(length);
  copy.set(array.length > length ? array.subarray(0, length) : array);
  return copy;
}
