import { randomFillSync } from 'node:crypto';
import { MAGIC_COOKIE } from './sip/messages/sip-address.js';

// One refill costs as much as one call of randomBytes(8) and replaces 512 of them: every call needs tags, branches and streams.
const pool = Buffer.alloc(4096);
let used = pool.length;

/** Returns this many random bytes (64 at most), valid until the next call: the memory is reused. */
export function fewRandomBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}

/** 64 random bits in hexadecimal; RFC 3261 §19.3 requires 32 for a tag. */
export const randomTag = (): string => fewRandomBytes(8).toString('hex');

export function randomBranch(): string {
  return MAGIC_COOKIE + randomTag();
}
