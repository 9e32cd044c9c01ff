import { KeyedSemaphore, type Release, Semaphore } from '@app/common';
import { HttpException, ServiceUnavailableException } from '@nestjs/common';
import type { Response } from 'express';

interface ConcurrencyLimits {
  /** Requests of this process. */
  most: number;
  /** Requests of one account: no account can take them all. */
  mostPerAccount: number;
  /** Messages of the two errors. */
  accountIsFull: string;
  processIsFull: string;
}

/** Limits requests that hold a connection, memory or a provider for as long as they last. */
export class ConcurrencyLimit {
  private readonly process: Semaphore;
  private readonly accounts: KeyedSemaphore<number>;

  constructor(private readonly limits: ConcurrencyLimits) {
    this.process = new Semaphore(limits.most);
    this.accounts = new KeyedSemaphore(limits.mostPerAccount);
  }

  /** Call the result when the request has ended. Throws 429 when the account is at its limit, 503 when the process is. */
  acquire(accountId: number, response: Response): Release {
    const { mostPerAccount, accountIsFull, processIsFull } = this.limits;
    const left = Math.max(0, this.accounts.free(accountId) - 1);
    response.set({ 'X-RateLimit-Limit': String(mostPerAccount), 'X-RateLimit-Remaining': String(left) });
    const releaseAccount = this.accounts.tryAcquire(accountId);
    if (!releaseAccount) throw new HttpException(accountIsFull, 429);
    const releaseProcess = this.process.tryAcquire();
    if (!releaseProcess) {
      releaseAccount();
      throw new ServiceUnavailableException(processIsFull);
    }
    return () => {
      releaseProcess();
      releaseAccount();
    };
  }
}
