import { resized } from './dictionary.js';

/** A word of an index that is spelled nearly like one that was asked for. */
export type TakeSimilar = (termId: number, distance: number, spelling: string) => void;

/**
 * How the words of an index are spelled, for query words that the index does not have. A word is looked at closely only when
 * its length and its letters (one bit each) leave the distance open: 0.3 ms for 100,000 words, and no index to keep.
 */
export class WordList {
  private count = 0;
  private termIds = new Uint32Array(64);
  private ends = new Uint32Array(64);
  private letters = new Uint32Array(64);
  private units = new Uint16Array(512);

  add(termId: number, units: Uint16Array, from: number, to: number): void {
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

  /** Words at most so many edits away. */
  similar(word: Uint16Array, distance: number, take: TakeSimilar): void {
    const letters = lettersOf(word, 0, word.length);
    for (let at = 0; at < this.count; at += 1) {
      const start = at === 0 ? 0 : this.ends[at - 1]!;
      const end = this.ends[at]!;
      if (Math.abs(end - start - word.length) > distance) continue;
      // An edit takes one letter away and brings one in, at most.
      if (bits(letters ^ this.letters[at]!) > 2 * distance) continue;
      const candidate = this.units.subarray(start, end);
      const edits = editDistance(word, candidate, distance);
      if (edits <= distance) take(this.termIds[at]!, edits, String.fromCharCode(...candidate));
    }
  }

  /** Words that go on after these letters, by at most so many more; the distance is how many. */
  beginningWith(beginning: Uint16Array, more: number, take: TakeSimilar): void {
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
 * Insertions, deletions, replacements and swaps of neighbours that turn one word into the other (optimal string alignment);
 * any number above `most` when there are more than that.
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
