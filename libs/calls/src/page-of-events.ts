import { NotFound } from '@app/common';
import { rows } from '@app/database';
import type { Pool } from 'pg';
import { type CallEventRow, type CallEventView, callEventView } from './call-event-view.js';

/** A part of a call's events, in their order. */
export interface CallEventPage {
  events: CallEventView[];
  /** Where the next page begins: give it as `after`. */
  nextAfter: number;
  /** The call is over, and this is its last event. */
  complete: boolean;
}

const FIND = {
  name: 'call-events-of',
  text: 'SELECT event_seq, ended_at IS NOT NULL AS ended FROM calls WHERE account_id = $1 AND id = $2',
};

const PAGE = {
  name: 'page-of-call-events',
  text: 'SELECT seq, at, type, data FROM call_events WHERE call_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
};

/** How far the events of a call have got. */
export interface EventsOfCall {
  /** Number of the last one. */
  last: number;
  ended: boolean;
}

/** Throws NotFound when the account has no such call. */
export async function eventsOfCall(pool: Pool, accountId: number, callId: string): Promise<EventsOfCall> {
  const [call] = await rows<{ event_seq: number; ended: boolean }>(pool, FIND, [accountId, callId]);
  if (!call) throw new NotFound('Call');
  return { last: call.event_seq, ended: call.ended };
}

/** Looks at up to `limit` events behind number `after`. Throws NotFound when the account has no such call. */
export async function pageOfEvents(
  pool: Pool,
  call: { accountId: number; callId: string },
  { after, limit }: { after: number; limit: number },
): Promise<CallEventPage> {
  const { last, ended } = await eventsOfCall(pool, call.accountId, call.callId);
  const found = await rows<CallEventRow & Record<string, unknown>>(pool, PAGE, [call.callId, after, limit]);
  const nextAfter = found.at(-1)?.seq ?? after;
  const events = found.map(callEventView).filter((event) => event !== undefined);
  return { events, nextAfter, complete: ended && nextAfter >= last };
}
