import { type Principal, TokensService } from '@app/auth';
import {
  CallEventPoller,
  type CallEventView,
  type CallWatcher,
  CallWordsService,
  type RunningTurn,
  type Watching,
} from '@app/calls';
import { isoTime, type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { LOG } from '@app/settings';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';
import { ConcurrencyLimit } from '../http/long-requests.js';
import { TURN_WORDS } from './call-events.dto.js';

/** Proxies close connections that are idle for longer, mostly for 30 to 60 s. */
const HEARTBEAT_MS = 15_000;
/** A client that does not read for this long is disconnected. It can reconnect with the number of its last event. */
const STALLED_MS = 30_000;
/** Reconnection delay of clients. */
const RETRY_MS = 2_000;

/**
 * One client that watches a call by server-sent events. Unread events are not buffered here: the watcher pauses while the connection
 * is full.
 */
export class EventStream implements CallWatcher {
  private watching: Watching | undefined;
  private readonly heartbeat: NodeJS.Timeout;
  private stalled: NodeJS.Timeout | undefined;
  private stopWords = (): void => undefined;
  /** The written words of the running turns. */
  private spoken = new Map<number, string>();
  private readonly endedTurns = new Set<unknown>();

  constructor(
    readonly accountId: number,
    readonly callId: string,
    readonly after: number,
    private readonly response: Response,
  ) {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Otherwise nginx buffers the events.
      'X-Accel-Buffering': 'no',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS);
    response.once('close', () => this.over());
  }

  /** Without `words` the stream has events only. */
  follow(poller: Pick<CallEventPoller, 'watch'>, words?: Pick<CallWordsService, 'follow'>): void {
    if (words) this.stopWords = words.follow(this);
    this.watching = poller.watch(this);
  }

  /** Words have no number: a client that reconnects gets the next ones. A client that does not read misses them. */
  words(turns: readonly RunningTurn[]): void {
    for (const { turn, role, text, started_ms } of turns) {
      if (this.stalled || this.endedTurns.has(turn) || this.spoken.get(turn) === text) continue;
      const message = { type: TURN_WORDS, at: isoTime(new Date()), data: { turn, role, text, started_ms } };
      if (!this.response.write(`event: ${TURN_WORDS}\ndata: ${JSON.stringify(message)}\n\n`)) this.wait();
    }
    this.spoken = new Map(turns.map(({ turn, text }) => [turn, text]));
  }

  take({ seq, type, at, data }: CallEventView): boolean {
    if (type === 'turn') this.endedTurns.add(data['turn']);
    const hasRoom = this.response.write(
      `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, type, at, data })}\n\n`,
    );
    if (!hasRoom) this.wait();
    return hasRoom;
  }

  /** Closes the connection after the written events are sent, or immediately if the client does not read. */
  end(): void {
    if (this.stalled) this.response.destroy();
    else this.response.end();
  }

  private beat(): void {
    if (!this.stalled) this.response.write(': \n\n');
  }

  private wait(): void {
    this.stalled = setTimeout(() => this.response.destroy(), STALLED_MS);
    this.response.once('drain', () => {
      clearTimeout(this.stalled);
      this.stalled = undefined;
      this.watching?.resume();
    });
  }

  private over(): void {
    clearInterval(this.heartbeat);
    clearTimeout(this.stalled);
    this.stopWords();
    this.watching?.stop();
  }
}

const MOST_PER_ACCOUNT = 100;
/** A stream outlives the authentication of its request: the streams of a revoked token end within this time. */
const TOKENS_EVERY_MS = 5_000;

interface Open {
  stream: EventStream;
  tokenId: number;
}

/** The open event streams of this process. The poller ends them before the server closes. */
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
    private readonly words: CallWordsService,
    private readonly tokens: TokensService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Streams the events after number `after` until the call ends. Throws 429 or 503 when there are too many streams. */
  start(user: Principal, call: { callId: string; after: number; hasWords: boolean }, response: Response): void {
    // The client disconnected while the call was read: 'close' has already been emitted.
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
    one.stream.follow(this.poller, call.hasWords ? this.words : undefined);
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
