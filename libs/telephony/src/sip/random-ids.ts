import { randomFillSync } from 'node:crypto';
import { MAGIC_COOKIE } from './via.js';

// A refill costs as much as one call of randomBytes(8) and serves 512 of them: tags and branches are made for every message.
const pool = Buffer.alloc(4096);
let used = pool.length;

/** 64 random bits in hexadecimal, more than the 32 that RFC 3261 §19.3 asks of a tag. */
export function randomTag(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const start = used;
  used += 8;
  return pool.toString('hex', start, used);
}

export function randomBranch(): string {
  return MAGIC_COOKIE + randomTag();
}
