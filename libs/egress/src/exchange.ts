import type { Dispatcher } from 'undici';
import { closedInReuse } from './connection-reuse.js';

/** An answer that has arrived. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The first bytes of it. */
  body: Buffer;
  /** There were more; the connection was closed at the first of them. */
  truncated: boolean;
}

/**
 * One request and its answer, by the callbacks of undici's dispatchers: without the stream and the signal that `undici.request` makes of each,
 * which were a seventh of a dispatcher's processor time.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Answer>;
  private resolve!: (answer: Answer) => void;
  private reject!: (reason: unknown) => void;
  /** Why nothing more is waited for. */
  private ended: Error | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private headers: Answer['headers'] = {};
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly options: Dispatcher.DispatchOptions,
    /** Bytes of the answer that are kept. */
    private readonly maxBodyBytes: number,
    /** Called immediately before the request is written, each time; what it throws ends the exchange instead. */
    private readonly beforeWrite?: () => void,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.send();
  }

  /** Closes the connection of the request in flight; `answer` rejects with this reason, unless it is there already. */
  end(reason: Error): void {
    this.reject(reason);
    this.ended = reason;
    this.controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ended) return controller.abort(this.ended);
    try {
      this.beforeWrite?.();
    } catch (error) {
      this.end(error as Error);
    }
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Answer['headers']): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
    if (this.length <= this.maxBodyBytes || this.ended) return;
    this.resolve(this.whole(true));
    this.end(new Error('More of the answer is not wanted.'));
  }

  onResponseEnd(): void {
    this.resolve(this.whole(false));
  }

  /** Sent again while it is only that a kept connection is closed in the moment it is used again: each time there is one less of them. */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.ended && closedInReuse(error)) this.send();
    else this.reject(error);
  }

  private send(): void {
    this.dispatcher.dispatch(this.options, this);
  }

  private whole(truncated: boolean): Answer {
    const { status, headers, chunks, length } = this;
    const body = Buffer.concat(chunks, Math.min(length, this.maxBodyBytes));
    return { status, headers, body, truncated };
  }
}
