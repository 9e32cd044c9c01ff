/** Slots per pair, at least: a search meets few other pairs. */
const SPARE = 2;

const hashOf = (first: number, second: number): number => {
  const mixed = Math.imul(first, 0x9e3779b1) + Math.imul(second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
};

function enlarged(values: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * values.length);
  larger.set(values);
  return larger;
}

/**
 * Numbers pairs of integers (from 0 to 2^31 - 1) in the order in which they are seen. A hash table in typed arrays: every entry of a
 * rollup passes it, and a Map takes several times as long and leaves garbage.
 */
export class PairNumbers {
  size = 0;
  private firsts = new Int32Array(32);
  private seconds = new Int32Array(32);
  /** The number of the pair from 1; 0: the slot is free. */
  private slots = new Int32Array(32 * SPARE);

  /** The number of a pair, from 0. */
  of(first: number, second: number): number {
    const mask = this.slots.length - 1;
    for (let slot = hashOf(first, second) & mask; ; slot = (slot + 1) & mask) {
      const number = this.slots[slot]! - 1;
      if (number < 0) return this.add(first, second, slot);
      if (this.firsts[number] === first && this.seconds[number] === second) return number;
    }
  }

  first(number: number): number {
    return this.firsts[number]!;
  }

  second(number: number): number {
    return this.seconds[number]!;
  }

  private add(first: number, second: number, slot: number): number {
    const number = this.size;
    if (number === this.firsts.length) {
      this.enlarge();
      return this.of(first, second);
    }
    this.firsts[number] = first;
    this.seconds[number] = second;
    this.slots[slot] = ++this.size;
    return number;
  }

  private enlarge(): void {
    this.firsts = enlarged(this.firsts);
    this.seconds = enlarged(this.seconds);
    this.slots = new Int32Array(this.firsts.length * SPARE);
    const mask = this.slots.length - 1;
    for (let number = 0; number < this.size; number++) {
      let slot = hashOf(this.firsts[number]!, this.seconds[number]!) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = number + 1;
    }
  }
}
