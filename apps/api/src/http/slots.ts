import { HttpException, ServiceUnavailableException } from '@nestjs/common';
import type { Response } from 'express';

export interface SlotLimits {
  /** Of this process. */
  most: number;
  /** So that no account takes them all. */
  mostPerAccount: number;
  /** Sentences for the two answers. */
  accountIsFull: string;
  processIsFull: string;
}

/** Admits what costs as much as it lasts, and lasts as long as the client likes. */
export class Slots {
  private readonly perAccount = new Map<number, number>();
  private taken = 0;

  constructor(private readonly limits: SlotLimits) {}

  /** Returns what gives the slot back. Throws 429 when the account has its share, 503 when the process has no more. */
  take(accountId: number, response: Response): () => void {
    const { most, mostPerAccount, accountIsFull, processIsFull } = this.limits;
    const own = this.perAccount.get(accountId) ?? 0;
    const left = Math.max(0, mostPerAccount - own - 1);
    response.set({ 'X-RateLimit-Limit': String(mostPerAccount), 'X-RateLimit-Remaining': String(left) });
    if (own >= mostPerAccount) throw new HttpException(accountIsFull, 429);
    if (this.taken >= most) throw new ServiceUnavailableException(processIsFull);
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
