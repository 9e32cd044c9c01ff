import { KeyedSemaphore, type Release, Semaphore } from '@app/common';
import { HttpException, ServiceUnavailableException } from '@nestjs/common';
import type { Response } from 'express';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

interface ConcurrencyLimits {
  /** Concurrent requests of this process. */
  most: number;
  /** Concurrent requests of one account. */
  mostPerAccount: number;
  /** Messages of the two errors. */
  accountIsFull: string;
  processIsFull: string;
}

/** Limits concurrent requests that hold a connection, memory or a provider until they end. */
export class ConcurrencyLimit {
  private readonly process: Semaphore;
  private readonly accounts: KeyedSemaphore<number>;

  constructor(private readonly limits: ConcurrencyLimits) {
    this.process = new Semaphore(limits.most);
    this.accounts = new KeyedSemaphore(limits.mostPerAccount);
  }

  /** Call the returned function at the end of the request. Throws 429 at the limit of the account, 503 at the limit of the process. */
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

/** The nginx status for a client that closed the connection. It appears only in the log. */
const CLIENT_CLOSED_REQUEST = 499;

export const clientDisconnected = (): HttpException =>
  new HttpException('The client disconnected.', CLIENT_CLOSED_REQUEST);

/** Aborts when the client closes the connection before the response is complete. */
export function disconnectSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Streams `content` as the response, at the speed of the client. Rejects when `content` fails. */
export async function sendStream(content: Readable, response: Response): Promise<void> {
  try {
    await pipeline(content, response);
  } catch (error) {
    // The client closed the connection.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
