import { fewRandomBytes } from '../random-pool.js';
import { MAGIC_COOKIE } from './via.js';

/** 64 random bits in hexadecimal, more than the 32 that RFC 3261 §19.3 asks of a tag. */
export const randomTag = (): string => fewRandomBytes(8).toString('hex');

export function randomBranch(): string {
  return MAGIC_COOKIE + randomTag();
}
