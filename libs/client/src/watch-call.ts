import { EventSourceParserStream } from 'eventsource-parser/stream';
import { TrunklineError } from './answer.js';
import type { Schemas } from './schemas.js';
import type { Trunkline } from './trunkline.js';

/** An event of a call, by `type`: a status, a turn of the conversation, a tool call, a key. */
export type CallEvent = Schemas['CallEvent'];

export interface WatchOptions {
  /** Yields only events after the one with this number. Default: all events. */
  after?: number;
  signal?: AbortSignal;
}

const LOST_WAIT_MS = 500;

/**
 * Yields the events of a call as they occur until the call has ended. A lost connection is resumed: no event is missing or repeated.
 * @throws TrunklineError for an error response; the reason of the signal.
 */
export async function* watchCall(
  client: Trunkline,
  callId: string,
  options: WatchOptions = {},
): AsyncGenerator<CallEvent> {
  let lastId = options.after;
  for (;;) {
    const { response } = await client.GET('/api/v1/calls/{callId}/events', {
      params: { path: { callId }, ...(lastId !== undefined && { header: { 'Last-Event-ID': lastId } }) },
      headers: { accept: 'text/event-stream' },
      parseAs: 'stream',
      ...(options.signal && { signal: options.signal }),
    });
    // 204: the call has ended and has no further events.
    if (response.status === 204) return;
    if (!response.ok || !response.body)
      throw new TrunklineError(
        `The events of the call are unavailable.`,
        response.status,
        {},
        response.headers.get('x-request-id'),
      );
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    try {
      for await (const { id, data } of events) {
        if (id !== undefined) lastId = Number(id);
        yield JSON.parse(data) as CallEvent;
      }
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason as Error;
      if (!(error instanceof TypeError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOST_WAIT_MS));
  }
}
