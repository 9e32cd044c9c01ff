import type { Principal, TokensService } from '@app/auth';
import { CallWatch } from '@app/calls';
import { runPeriodically, type Log, type PeriodicTask } from '@app/common';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';
import type { Pool } from 'pg';
import { Slots } from '../http/slots.js';
import { EventStream } from './event-stream.js';

const MOST_PER_ACCOUNT = 100;
/** A stream outlives the token cache: a revocation ends it within this time. */
const TOKENS_EVERY_MS = 5_000;

interface Open {
  stream: EventStream;
  tokenId: number;
}

/** The clients of this process that watch calls. */
@Injectable()
export class CallStreams implements OnModuleDestroy {
  private readonly watch: CallWatch;
  private readonly open = new Set<Open>();
  private readonly slots = new Slots({
    most: 1_000,
    mostPerAccount: MOST_PER_ACCOUNT,
    accountIsFull: `Only ${MOST_PER_ACCOUNT} streams of an account can be open at once. Close one first.`,
    processIsFull: 'Too many streams at the moment. Try again.',
  });
  private checks: PeriodicTask | undefined;

  constructor(
    pool: Pool,
    private readonly log: Log,
    private readonly tokens: TokensService,
  ) {
    this.watch = new CallWatch(pool, log);
  }

  /** Answers with the events behind number `after`, until the call is over. Throws 429 or 503 when there are too many. */
  start(user: Principal, call: { callId: string; after: number }, response: Response): void {
    // The client left while the call was looked up: its 'close' has been.
    if (response.destroyed) return;
    const release = this.slots.take(user.accountId, response);
    const one = { stream: new EventStream(user.accountId, call.callId, call.after, response), tokenId: user.tokenId };
    this.open.add(one);
    response.once('close', () => {
      release();
      this.open.delete(one);
      if (this.open.size === 0) this.stopChecks();
    });
    this.checks ??= runPeriodically(TOKENS_EVERY_MS, () => this.endRevoked(), this.log);
    one.stream.follow(this.watch);
  }

  /** Before the server closes, which waits for all connections. */
  async onModuleDestroy(): Promise<void> {
    this.stopChecks();
    await this.watch.close();
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
