import { Injectable } from '@nestjs/common';
import { ConcurrencyLimit } from '../http/concurrency-limit.js';

const MOST_PER_ACCOUNT = 4;

/** Limits uploads. Each holds a connection, 64 KB of buffers and disk space. */
@Injectable()
export class UploadLimit extends ConcurrencyLimit {
  constructor() {
    super({
      most: 16,
      mostPerAccount: MOST_PER_ACCOUNT,
      accountIsFull: `Only ${MOST_PER_ACCOUNT} files can be uploaded at once. Wait for one to finish.`,
      processIsFull: 'Too many uploads at the moment. Try again.',
    });
  }
}
