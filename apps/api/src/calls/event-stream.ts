import type { CallEventPoller, CallEventView, CallWatcher, Watching } from '@app/calls';
import type { Response } from 'express';

/** Proxies close connections that are idle for longer, mostly for 30 to 60 s. */
const HEARTBEAT_MS = 15_000;
/** A client that does not read for this long is disconnected; it may reconnect with the number of its last event. */
const STALLED_MS = 30_000;
/** Time before a client connects again. */
const RETRY_MS = 2_000;

/**
 * One client that watches a call by server-sent events. Unread events are not buffered here: while the connection is full, the
 * watching is paused.
 */
export class EventStream implements CallWatcher {
  private watching: Watching | undefined;
  private readonly heartbeat: NodeJS.Timeout;
  private stalled: NodeJS.Timeout | undefined;

  constructor(
    readonly accountId: number,
    readonly callId: string,
    readonly after: number,
    private readonly response: Response,
  ) {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // nginx would hold events back until its buffer is full.
      'X-Accel-Buffering': 'no',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS);
    response.once('close', () => this.over());
  }

  follow(poller: Pick<CallEventPoller, 'watch'>): void {
    this.watching = poller.watch(this);
  }

  take({ seq, type, at, data }: CallEventView): boolean {
    const hasRoom = this.response.write(
      `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, type, at, data })}\n\n`,
    );
    if (!hasRoom) this.wait();
    return hasRoom;
  }

  /** Closes the connection when everything written is sent; immediately when the client does not read. */
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
    this.watching?.stop();
  }
}
