import { randomFillSync } from 'node:crypto';
import { MAGIC_COOKIE } from './sip/via.js';

// A refill costs as much as one call of randomBytes(8) and serves 512 of them: tags, branches and streams are made for every call.
const pool = Buffer.alloc(4096);
let used = pool.length;

/** So many random bytes (64 at most), to be read before the next call: the memory is used again. */
export function fewRandomBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}

/** 64 random bits in hexadecimal, more than the 32 that RFC 3261 §19.3 asks of a tag. */
export const randomTag = (): string => fewRandomBytes(8).toString('hex');

export function randomBranch(): string {
  return MAGIC_COOKIE + randomTag();
}
