import type { Sql } from '@app/database';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from './eventually.js';

export interface CallEvent {
  type: string;
  at: Date;
  data: Record<string, unknown>;
}

const LOOK_EVERY_MS = 50;

/** The stored events of a call, in order. A dialer writes its events in batches within half a second. */
export async function eventsOfCall(database: Sql, callId: string): Promise<CallEvent[]> {
  const text = 'SELECT type, at, data FROM call_events WHERE call_id = $1 ORDER BY at, seq';
  return (await database.query<CallEvent>(text, [callId])).rows;
}

/** Resolves with the first matching event. Rejects with the events that were stored instead. */
export async function eventOfCall(
  database: Sql,
  callId: string,
  isWanted: (event: CallEvent) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<CallEvent> {
  for (const late = AbortSignal.timeout(patienceMs); ; await delay(LOOK_EVERY_MS)) {
    const events = await eventsOfCall(database, callId);
    const found = events.find(isWanted);
    if (found) return found;
    if (late.aborted) throw new Error(`The event did not come: ${JSON.stringify(events)}`);
  }
}
