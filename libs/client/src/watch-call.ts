import { EventSourceParserStream } from 'eventsource-parser/stream';
import { TrunklineError } from './answer.js';
import type { Schemas } from './schemas.js';
import type { Trunkline } from './trunkline.js';

/** What happened in a call: a status, a turn of the conversation, a call of a tool, a key. `type` tells which. */
export type CallEvent = Schemas['CallEvent'];

export interface WatchOptions {
  /** Only what came after the event of this number; absent: everything from the beginning. */
  after?: number;
  signal?: AbortSignal;
}

const LOST_WAIT_MS = 500;

/**
 * What happens in a call, while it happens, until the call has ended. A connection that is lost is taken up where it was: no event is
 * missing and none comes twice.
 * @throws TrunklineError when the service says no; the reason of the signal.
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
    // 204: the call has ended, and there is nothing after the last event.
    if (response.status === 204) return;
    if (!response.ok || !response.body)
      throw new TrunklineError(
        `The events of the call were refused.`,
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
