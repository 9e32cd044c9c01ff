import { farEndKey, targetKey } from './connections.js';
import type { Target } from './flow.js';

const MAX_REMEMBERED = 1_000;
/** How long a target that failed is tried last, when it did not say itself. */
const REST_MS = 30_000;
const LONGEST_REST_MS = 600_000;

/** Remembers for a while which targets did not work, so that they are tried last (in the spirit of RFC 3263 §4.3). */
export class FailedTargets {
  private readonly until = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param retryAfterMs what a 503 asked for */
  add(target: Target, retryAfterMs = REST_MS): void {
    const key = keyOf(target);
    this.until.delete(key);
    const oldest = this.until.size >= MAX_REMEMBERED ? this.until.keys().next().value : undefined;
    if (oldest !== undefined) this.until.delete(oldest);
    this.until.set(key, this.now() + Math.min(retryAfterMs, LONGEST_REST_MS));
  }

  has(target: Target): boolean {
    return (this.until.get(keyOf(target)) ?? 0) > this.now();
  }

  /** The same targets: those that failed lately come last, each group in its own order. */
  last(targets: Target[]): Target[] {
    if (this.until.size === 0 || targets.length === 1) return targets;
    return [...targets.filter((one) => !this.has(one)), ...targets.filter((one) => this.has(one))];
  }
}

/** What fails for the TLS settings of one caller may well work with those of another. */
function keyOf(target: Target): string {
  const { transport, address, port, tls } = target;
  return `${transport} ${tls ? targetKey(target) : farEndKey(address, port)}`;
}
