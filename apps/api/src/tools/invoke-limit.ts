import { Injectable } from '@nestjs/common';
import { ConcurrencyLimit } from '../http/concurrency-limit.js';

const MOST_PER_ACCOUNT = 4;

/** Limits trials of tools. Each holds a connection to the client and one to an endpoint, for two minutes at most. */
@Injectable()
export class InvokeLimit extends ConcurrencyLimit {
  constructor() {
    super({
      most: 32,
      mostPerAccount: MOST_PER_ACCOUNT,
      accountIsFull: `Only ${MOST_PER_ACCOUNT} tools can be invoked at once. Wait for one to finish.`,
      processIsFull: 'Too many tools are being invoked at the moment. Try again.',
    });
  }
}
