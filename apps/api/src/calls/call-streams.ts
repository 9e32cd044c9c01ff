import { type Principal, TokensService } from '@app/auth';
import { CallEventPoller } from '@app/calls';
import { runPeriodically, type Log, type PeriodicTask } from '@app/common';
import { LOG } from '@app/settings';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';
import { ConcurrencyLimit } from '../http/concurrency-limit.js';
import { EventStream } from './event-stream.js';

const MOST_PER_ACCOUNT = 100;
/** A stream lives longer than the check of its token: a revoked token ends it after this time. */
const TOKENS_EVERY_MS = 5_000;

interface Open {
  stream: EventStream;
  tokenId: number;
}

/** The event streams that clients of this process have open; the poller ends them before the server closes. */
@Injectable()
export class CallStreams implements OnModuleDestroy {
  private readonly open = new Set<Open>();
  private readonly limit = new ConcurrencyLimit({
    most: 1_000,
    mostPerAccount: MOST_PER_ACCOUNT,
    accountIsFull: `Only ${MOST_PER_ACCOUNT} streams of an account can be open at once. Close one first.`,
    processIsFull: 'Too many streams at the moment. Try again.',
  });
  private checks: PeriodicTask | undefined;

  constructor(
    private readonly poller: CallEventPoller,
    private readonly tokens: TokensService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Streams the events behind number `after` until the call is over. Throws 429 or 503 when there are too many streams. */
  start(user: Principal, call: { callId: string; after: number }, response: Response): void {
    // The client left while the call was looked up: its 'close' has already been emitted.
    if (response.destroyed) return;
    const release = this.limit.acquire(user.accountId, response);
    const one = { stream: new EventStream(user.accountId, call.callId, call.after, response), tokenId: user.tokenId };
    this.open.add(one);
    response.once('close', () => {
      release();
      this.open.delete(one);
      if (this.open.size === 0) this.stopChecks();
    });
    this.checks ??= runPeriodically(TOKENS_EVERY_MS, () => this.endRevoked(), this.log);
    one.stream.follow(this.poller);
  }

  onModuleDestroy(): void {
    this.stopChecks();
  }

  private stopChecks(): void {
    void this.checks?.stop();
    this.checks = undefined;
  }

  private async endRevoked(): Promise<void> {
    const live = await this.tokens.live([...new Set([...this.open].map(({ tokenId }) => tokenId))]);
    for (const { stream, tokenId } of this.open) if (!live.has(tokenId)) stream.end();
  }
}
