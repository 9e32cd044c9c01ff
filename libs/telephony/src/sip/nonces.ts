import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Long enough for a caller that answers several challenges with one nonce, and not for much else. */
const LIFE_MS = 300_000;
/** Nonces whose counts are remembered, about 2 MB. */
const REMEMBERED = 10_000;
const RANDOM_BYTES = 8;
const TIME_BYTES = 6;
const MAC_BYTES = 16;

/**
 * The nonces of our challenges (RFC 7616 §5.4). They carry their time and a MAC over it and over the address they were made
 * for, so unanswered nonces are not stored and a flood of requests costs no memory.
 */
export class Nonces {
  /** New in each process: what another one issued is asked for again, and never replayed here. */
  private readonly key = randomBytes(32);
  private readonly counts = new Map<string, number>();
  /** Nonces up to this time were used and forgotten. */
  private forgottenUntil = 0;

  constructor(
    private readonly now: () => number,
    private readonly remembered = REMEMBERED,
  ) {}

  issue(address: string): string {
    const head = Buffer.alloc(RANDOM_BYTES + TIME_BYTES);
    randomBytes(RANDOM_BYTES).copy(head);
    head.writeUIntBE(this.now(), RANDOM_BYTES, TIME_BYTES);
    return Buffer.concat([head, this.mac(head, address)]).toString('base64url');
  }

  /** Whether we issued it to this address, at most five minutes ago. */
  isFresh(nonce: string, address: string): boolean {
    return this.issuedAt(nonce, address) !== undefined;
  }

  /**
   * True once for each count of a nonce that we issued to this address and that has not expired; counts only grow. Call it
   * with proven credentials only: it remembers.
   */
  use(nonce: string, count: number, address: string): boolean {
    const issuedAt = this.issuedAt(nonce, address);
    if (issuedAt === undefined) return false;
    const last = this.counts.get(nonce);
    if (last === undefined && issuedAt <= this.forgottenUntil) return false;
    if (count <= (last ?? 0)) return false;
    if (last === undefined && this.counts.size >= this.remembered) this.forgetOldest();
    this.counts.set(nonce, count);
    return true;
  }

  /** Undefined: not ours, of another address, or expired. */
  private issuedAt(nonce: string, address: string): number | undefined {
    const bytes = Buffer.from(nonce, 'base64url');
    if (bytes.length !== RANDOM_BYTES + TIME_BYTES + MAC_BYTES) return undefined;
    const head = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES);
    if (!timingSafeEqual(bytes.subarray(head.length), this.mac(head, address))) return undefined;
    const issuedAt = timeOf(head);
    return this.now() - issuedAt <= LIFE_MS ? issuedAt : undefined;
  }

  private forgetOldest(): void {
    const [oldest] = this.counts.keys();
    if (oldest === undefined) return;
    this.counts.delete(oldest);
    this.forgottenUntil = Math.max(this.forgottenUntil, timeOf(Buffer.from(oldest, 'base64url')));
  }

  private mac(head: Buffer, address: string): Buffer {
    return createHmac('sha256', this.key).update(head).update(address).digest().subarray(0, MAC_BYTES);
  }
}

const timeOf = (head: Buffer): number => head.readUIntBE(RANDOM_BYTES, TIME_BYTES);
