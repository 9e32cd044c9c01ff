import type { PeopleAuthenticationService, Principal } from '@app/auth';
import { type Log, type PeriodicTask, runPeriodically } from '@app/common';
import type { Response } from 'express';
import { ConcurrencyLimit } from '../server/long-requests.js';

/** Proxies close connections that are idle for longer, mostly for 30 to 60 s. */
const HEARTBEAT_MS = 15_000;
/** A client that does not read for this long is disconnected. It can reconnect. */
const STALLED_MS = 30_000;
/** Reconnection delay of clients. */
const RETRY_MS = 2_000;

interface StreamListeners {
  /** The client reads again. */
  drained?: () => void;
  closed: () => void;
}

/** A connection of server-sent events. Unread events are not buffered here: the writer pauses while the connection is full. */
export class EventConnection {
  private readonly heartbeat: NodeJS.Timeout;
  private stalled: NodeJS.Timeout | undefined;

  constructor(
    private readonly response: Response,
    private readonly listeners: StreamListeners,
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

  get isFull(): boolean {
    return this.stalled !== undefined;
  }

  /** @returns whether the connection has room for more. */
  write(event: { id?: number; event: string; data: unknown }): boolean {
    const id = event.id === undefined ? '' : `id: ${event.id}\n`;
    const hasRoom = this.response.write(`${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`);
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
      this.listeners.drained?.();
    });
  }

  private over(): void {
    clearInterval(this.heartbeat);
    clearTimeout(this.stalled);
    this.listeners.closed();
  }
}

const MAX_PER_ACCOUNT = 100;
/** A stream outlives the authentication of its request: the streams of a revoked token or session end within this time. */
const TOKENS_EVERY_MS = 5_000;

interface Open {
  end: () => void;
  user: Principal;
}

/** The open event streams of one kind in this process. */
export class OpenStreams {
  private readonly open = new Set<Open>();
  private readonly limit = new ConcurrencyLimit({
    most: 1_000,
    mostPerAccount: MAX_PER_ACCOUNT,
    accountIsFull: `Only ${MAX_PER_ACCOUNT} streams of an account can be open at once. Close one first.`,
    processIsFull: 'Too many streams at the moment. Try again.',
  });
  private checks: PeriodicTask | undefined;

  constructor(
    private readonly people: Pick<PeopleAuthenticationService, 'live'>,
    private readonly log: Log,
  ) {}

  /** Opens a stream, which `end` closes. Throws 429 or 503 when there are too many. Opens none for a client that disconnected. */
  add(user: Principal, response: Response, open: () => { end: () => void }): void {
    // The client disconnected while the request was processed: 'close' has already been emitted.
    if (response.destroyed) return;
    const release = this.limit.acquire(user.accountId, response);
    const stream = open();
    const one = { end: () => stream.end(), user };
    this.open.add(one);
    response.once('close', () => {
      release();
      this.open.delete(one);
      if (this.open.size === 0) this.stopChecks();
    });
    this.checks ??= runPeriodically(TOKENS_EVERY_MS, () => this.endRevoked(), this.log);
  }

  endAll(): void {
    for (const { end } of this.open) end();
    this.stopChecks();
  }

  stopChecks(): void {
    void this.checks?.stop();
    this.checks = undefined;
  }

  private async endRevoked(): Promise<void> {
    const asked = [...this.open];
    const live = await this.people.live(asked.map(({ user }) => user));
    // A stream that opened meanwhile is checked in the next round.
    for (const { end, user } of asked) if (!live.has(user)) end();
  }
}
