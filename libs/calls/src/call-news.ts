import { rows } from '@app/database';
import type { Pool } from 'pg';
import type { CallEventRow } from './call-event-view.js';

/** How far somebody has read the events of a call. */
export interface WatchedPlace {
  accountId: number;
  callId: string;
  after: number;
}

interface NewsOfCall {
  events: CallEventRow[];
  state: {
    /** Deleted. */
    gone: boolean;
    /** The call has ended, and this is the number of its last event; null: it goes on. */
    overAt: number | null;
  };
}

export interface News {
  /** Of the places where something is new, by their number in what was asked. */
  of: Map<number, NewsOfCall>;
  /** Not everything was given at once. */
  hasMore: boolean;
}

/** Of one place, and of all together: an event has a few hundred bytes, a tool's result at most some ten thousand. */
const MOST_OF_ONE = 50;
const MOST = 1_000;

/**
 * Two looks into primary keys for a call where nothing happened, which gives no row. What belongs together stands together and in
 * order, so that the limit cuts off an end and makes no hole.
 */
const NEWS = {
  name: 'news-of-calls',
  text: `SELECT w.n::integer AS place, c.id IS NULL AS gone, CASE WHEN c.ended_at IS NOT NULL THEN c.event_seq END AS over_at,
      e.seq, e.at, e.type, e.data
    FROM unnest($1::integer[], $2::uuid[], $3::integer[]) WITH ORDINALITY AS w (account_id, call_id, after, n)
      LEFT JOIN calls c ON c.id = w.call_id AND c.account_id = w.account_id
      LEFT JOIN LATERAL (SELECT seq, at, type, data FROM call_events
        WHERE call_id = c.id AND seq > w.after ORDER BY seq LIMIT ${MOST_OF_ONE}) e ON true
    WHERE e.seq IS NOT NULL OR c.id IS NULL OR c.ended_at IS NOT NULL
    ORDER BY w.n, e.seq LIMIT ${MOST}`,
};

interface Row extends CallEventRow {
  place: number;
  gone: boolean;
  over_at: number | null;
}

/** What has happened on several calls since somebody looked, in one statement. */
export async function newsOfCalls(pool: Pool, places: readonly WatchedPlace[]): Promise<News> {
  const found = await rows<Omit<Row, 'seq'> & { seq: number | null } & Record<string, unknown>>(pool, NEWS, [
    places.map(({ accountId }) => accountId),
    places.map(({ callId }) => callId),
    places.map(({ after }) => after),
  ]);
  const of = new Map<number, NewsOfCall>();
  for (const { place, gone, over_at: overAt, seq, at, type, data } of found) {
    const news = of.get(place - 1) ?? { events: [], state: { gone, overAt } };
    if (seq !== null) news.events.push({ seq, at, type, data });
    of.set(place - 1, news);
  }
  const isCut = [...of.values()].some(({ events }) => events.length === MOST_OF_ONE);
  return { of, hasMore: isCut || found.length === MOST };
}
