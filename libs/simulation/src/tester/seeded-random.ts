/** Deterministic random numbers (Mulberry32): a failing seed can be reproduced. */
export class SeededRandom {
  private state: number;

  constructor(seed: string | number) {
    this.state = hashOf(String(seed));
  }

  /** At least 0, less than 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    return mix(this.state) / 2 ** 32;
  }

  /** An integer between both bounds, inclusive. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)] as T;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let i = 0; i < length; i++) bytes[i] = this.int(0, 255);
    return bytes;
  }
}

/** FNV-1a with a final mix: seeds that differ in one letter give unrelated sequences. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash);
}

function mix(value: number): number {
  let one = Math.imul(value ^ (value >>> 15), value | 1);
  one ^= one + Math.imul(one ^ (one >>> 7), one | 61);
  return (one ^ (one >>> 14)) >>> 0;
}
