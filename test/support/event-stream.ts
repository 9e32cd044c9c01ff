import { EventSourceParserStream } from 'eventsource-parser/stream';
import { eventually } from './eventually.js';

export interface StreamedEvent {
  seq: number;
  type: string;
  at: string;
  data: Record<string, unknown>;
}

/** A client of `GET …/calls/{callId}/events`, as a browser reads it. */
export class WatchedCall {
  readonly events: StreamedEvent[] = [];
  /** The words of running turns, with `?words=true`, and the number of the last event before each. */
  readonly words: { after: number; turn: number; role: string; text: string; started_ms: number }[] = [];
  /** Whether the server closed the stream; undefined while it is open, an error when the connection broke. */
  closed: true | Error | undefined;

  private constructor(
    readonly response: Response,
    private readonly leaving: AbortController,
  ) {}

  static async open(url: string, token: string, headers: Record<string, string> = {}): Promise<WatchedCall> {
    const leaving = new AbortController();
    const accept = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const response = await fetch(url, { headers: { ...accept, ...headers }, signal: leaving.signal });
    const watched = new WatchedCall(response, leaving);
    if (response.status === 200) void watched.read();
    return watched;
  }

  /** Resolves when the server has closed the stream. */
  async untilClosed(): Promise<StreamedEvent[]> {
    await eventually(
      () => this.closed,
      (closed) => closed !== undefined,
    );
    if (this.closed !== true) throw this.closed ?? new Error('The stream is open.');
    return this.events;
  }

  async until(isThere: (events: readonly StreamedEvent[]) => boolean): Promise<void> {
    await eventually(() => this.events, isThere);
  }

  /** Closes the connection. */
  leave(): void {
    this.leaving.abort();
  }

  private async read(): Promise<void> {
    try {
      const stream = this.response
        .body!.pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream());
      for await (const { id, event, data } of stream) {
        const told = JSON.parse(data) as StreamedEvent;
        if (event === 'turn_words') {
          this.words.push({ ...(told.data as (typeof this.words)[0]), after: this.events.at(-1)?.seq ?? 0 });
          continue;
        }
        if (String(told.seq) !== id || told.type !== event) throw new Error(`${id} ${event} says ${data}`);
        this.events.push(told);
      }
      this.closed = true;
    } catch (error) {
      this.closed = error as Error;
    }
  }
}
