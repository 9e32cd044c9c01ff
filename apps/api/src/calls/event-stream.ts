import type { CallEventView, CallWatch, CallWatcher, Watching } from '@app/calls';
import type { Response } from 'express';

/** Proxies close connections that are silent for longer, 30 to 60 s mostly. */
const HEARTBEAT_MS = 15_000;
/** Who does not read for so long is cut off; it may come again with the number of its last event. */
const STALLED_MS = 30_000;
/** What a client waits before it connects again. */
const RETRY_MS = 2_000;

/**
 * One client that watches a call by server-sent events. What it has not read is not kept here: when its connection is full, the
 * watching rests until it has drained.
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
      // nginx would keep it back until its buffer is full.
      'X-Accel-Buffering': 'no',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS);
    response.once('close', () => this.over());
  }

  follow(watch: CallWatch): void {
    this.watching = watch.watch(this);
  }

  take({ seq, type, at, data }: CallEventView): boolean {
    const told = this.response.write(
      `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, type, at, data })}\n\n`,
    );
    if (!told) this.wait();
    return told;
  }

  /** Closes the connection when what was written is sent; at once when nobody reads it. */
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
