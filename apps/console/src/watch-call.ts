import { createParser } from 'eventsource-parser';
import { apiPath } from './api-path.js';
import { ApiError, isAbort, request } from './api.js';
import { pause } from './poll.js';
import type { CallEvent } from './types.js';

const AGAIN_MS = 2_000;

export type Watching = 'live' | 'interrupted' | 'over';

interface Watch {
  callId: string;
  signal: AbortSignal;
  onEvents: (events: readonly CallEvent[]) => void;
  onState: (state: Watching) => void;
}

/**
 * Follows a call by its server-sent events until its last one. EventSource cannot send a token, so the stream is read with fetch,
 * and a broken one is resumed after the last event that came.
 */
export async function watchCall({ callId, signal, onEvents, onState }: Watch): Promise<void> {
  let last = 0;
  const take = (events: readonly CallEvent[]): void => {
    const fresh = events.filter(({ seq }) => seq > last);
    last = fresh.at(-1)?.seq ?? last;
    if (fresh.length > 0) onEvents(fresh);
  };
  while (!signal.aborted) {
    try {
      onState('live');
      if (await readStream(callId, last, take, signal)) return onState('over');
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
    }
    onState('interrupted');
    await pause(AGAIN_MS, signal);
  }
}

/** true: that was all. */
async function readStream(
  callId: string,
  after: number,
  take: (events: readonly CallEvent[]) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const headers = { Accept: 'text/event-stream', ...(after > 0 && { 'Last-Event-ID': String(after) }) };
  const response = await request('GET', apiPath`calls/${callId}/events`, { headers, signal });
  if (response.status === 204 || !response.body) return true;
  let arrived: CallEvent[] = [];
  let over = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      const event = JSON.parse(data) as CallEvent;
      arrived.push(event);
      over ||= isLast(event);
    },
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return over;
    parser.feed(value);
    // What came together is shown together: a call that is over is replayed at once.
    take(arrived);
    arrived = [];
  }
}

const isLast = ({ type, data }: CallEvent): boolean => type === 'status' && data['hangup_cause'] !== undefined;
