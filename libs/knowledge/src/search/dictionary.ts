/**
 * Numbers terms by their 64-bit hashes, in order of arrival. Typed arrays need a quarter of the memory of a Map of strings and
 * cost the garbage collector nothing.
 */
export class Dictionary {
  size = 0;
  /** Both halves of a hash side by side, because memory access dominates the cost of a look-up. */
  private hashes = new Uint32Array(512);
  /** Open addressing; entries are the term's number + 1. Sixteen tables, so that growing one is never a long pause. */
  private readonly tables = Array.from({ length: TABLES }, () => new Int32Array(32));
  private readonly filled = new Int32Array(TABLES);

  /** The number of a term; -1 if it is unknown. */
  idOf(low: number, high: number): number {
    const table = this.tables[high % TABLES]!;
    return table[this.placeIn(table, low, high)]! - 1;
  }

  /** The number of a term; unknown terms get a new one. */
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

  /** The number of a term of another dictionary. */
  addFrom(other: Dictionary, id: number): number {
    return this.add(other.hashes[id * 2]!, other.hashes[id * 2 + 1]!);
  }

  /** Releases unused capacity. */
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

/** Receives words of an index with a spelling similar to the query word. */
export type SpellingConsumer = (termId: number, distance: number, spelling: string) => void;

/**
 * The spellings of an index's words, for query words that the index does not contain. The edit distance is computed only for words
 * of similar length and letters (one bit each): 0.3 ms for 100,000 words, without a further index.
 */
export class WordList {
  private count = 0;
  private termIds = new Uint32Array(64);
  private ends = new Uint32Array(64);
  private letters = new Uint32Array(64);
  private units = new Uint16Array(512);

  /** Ignores words with digits, which are matched exactly: a product list has more of them than of all others. */
  add(termId: number, units: Uint16Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) if (units[at]! >= 48 && units[at]! <= 57) return;
    const at = this.count++;
    if (at === this.ends.length) this.resize(at * 2);
    const start = this.startOf(at);
    const end = start + to - from;
    if (end > this.units.length) this.units = resized(this.units, end * 2);
    this.units.set(units.subarray(from, to), start);
    this.ends[at] = end;
    this.termIds[at] = termId;
    this.letters[at] = lettersOf(units, from, to);
  }

  /** Adds the words to another list, each with the number of its term there; -1 leaves it out. */
  copyTo(other: WordList, termIdOf: (termId: number) => number): void {
    for (let at = 0; at < this.count; at += 1) {
      const termId = termIdOf(this.termIds[at]!);
      if (termId >= 0) other.add(termId, this.units, this.startOf(at), this.ends[at]!);
    }
  }

  /** Words within this edit distance. */
  similar(word: Uint16Array, distance: number, take: SpellingConsumer): void {
    const letters = lettersOf(word, 0, word.length);
    for (let at = 0; at < this.count; at += 1) {
      const start = at === 0 ? 0 : this.ends[at - 1]!;
      const end = this.ends[at]!;
      if (Math.abs(end - start - word.length) > distance) continue;
      // An edit removes one letter and adds one, at most.
      if (bits(letters ^ this.letters[at]!) > 2 * distance) continue;
      const candidate = this.units.subarray(start, end);
      const edits = editDistance(word, candidate, distance);
      if (edits <= distance) take(this.termIds[at]!, edits, String.fromCharCode(...candidate));
    }
  }

  /**
   * Words that begin with these letters and have at most `more` further ones; the distance is the number of further
   * letters.
   */
  beginningWith(beginning: Uint16Array, more: number, take: SpellingConsumer): void {
    for (let at = 0; at < this.count; at += 1) {
      const start = this.startOf(at);
      const end = this.ends[at]!;
      const longer = end - start - beginning.length;
      if (longer < 1 || longer > more) continue;
      let same = 0;
      while (same < beginning.length && this.units[start + same] === beginning[same]) same += 1;
      if (same < beginning.length) continue;
      take(this.termIds[at]!, longer, String.fromCharCode(...this.units.subarray(start, end)));
    }
  }

  trim(): void {
    this.units = resized(this.units, this.startOf(this.count));
    this.resize(this.count);
  }

  get bytes(): number {
    return this.units.byteLength + this.ends.byteLength + this.termIds.byteLength + this.letters.byteLength;
  }

  private startOf(at: number): number {
    return at === 0 ? 0 : this.ends[at - 1]!;
  }

  private resize(length: number): void {
    this.termIds = resized(this.termIds, length);
    this.ends = resized(this.ends, length);
    this.letters = resized(this.letters, length);
  }
}

function lettersOf(units: Uint16Array, from: number, to: number): number {
  let letters = 0;
  for (let at = from; at < to; at += 1) letters |= 1 << (units[at]! & 31);
  return letters;
}

function bits(value: number): number {
  let left = value - ((value >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Words are at most 64 units long (see scanWords). */
const WIDTH = 65;
const rows = [new Uint8Array(WIDTH), new Uint8Array(WIDTH), new Uint8Array(WIDTH)] as const;

/**
 * The number of insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment); any
 * number above `most` if it exceeds `most`.
 */
export function editDistance(a: Uint16Array, b: Uint16Array, most: number): number {
  let [before, last, row]: Uint8Array[] = [...rows];
  for (let j = 0; j <= b.length; j += 1) last![j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    row![0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last![j]! + 1, row![j - 1]! + 1, last![j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before![j - 2]! + 1);
      row![j] = cost;
      if (cost < least) least = cost;
    }
    if (least > most) return least;
    [before, last, row] = [last, row, before];
  }
  return last![b.length]!;
}
