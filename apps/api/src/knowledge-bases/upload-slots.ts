import { HttpException, ServiceUnavailableException } from '@nestjs/common';
import type { Response } from 'express';

/** Uploads at once: of this process, and of one account, so that no account takes them all. */
const MOST = 16;
const MOST_PER_ACCOUNT = 4;

/** Admits uploads. One costs a connection, 64 KB buffers and disk, for as long as the client likes to take. */
export class UploadSlots {
  private readonly perAccount = new Map<number, number>();
  private taken = 0;

  /** Returns what gives the slot back. Throws 429 when the account has its share, 503 when the process has no more. */
  take(accountId: number, response: Response): () => void {
    const own = this.perAccount.get(accountId) ?? 0;
    const left = Math.max(0, MOST_PER_ACCOUNT - own - 1);
    response.set({ 'X-RateLimit-Limit': String(MOST_PER_ACCOUNT), 'X-RateLimit-Remaining': String(left) });
    if (own >= MOST_PER_ACCOUNT) {
      throw new HttpException(`Only ${MOST_PER_ACCOUNT} files can be uploaded at once. Wait for one to finish.`, 429);
    }
    if (this.taken >= MOST) throw new ServiceUnavailableException('Too many uploads at the moment. Try again.');
    this.taken++;
    this.perAccount.set(accountId, own + 1);
    return () => this.release(accountId);
  }

  private release(accountId: number): void {
    this.taken--;
    const left = (this.perAccount.get(accountId) ?? 0) - 1;
    if (left > 0) this.perAccount.set(accountId, left);
    else this.perAccount.delete(accountId);
  }
}
