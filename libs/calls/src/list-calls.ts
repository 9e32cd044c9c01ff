import { type Query, rows } from '@app/db';
import type { Pool } from 'pg';
import { type CallCursor, writeCursor } from './call-cursor.js';
import { type CallFilter, type Condition, conditionOf, statementName } from './call-filter.js';
import { CALL_COLUMNS, type CallRow } from './call-row.js';
import type { CallTotals, Total } from './count-calls.js';
import { ownNumbersOf } from './own-numbers.js';

export interface CallPage {
  calls: CallRow[];
  total: Total;
}

export interface CallSlice {
  calls: CallRow[];
  /** Cursors of the neighbours; null: there is nothing. */
  next: string | null;
  prev: string | null;
}

export type ListedCall = CallRow & { micros: string };

const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';
const OLDEST_FIRST = 'ORDER BY created_at ASC, id ASC';

/** A numbered page, newest first, with the total: at most two statements, a search one more. */
export async function pageOfCalls(
  parts: { pool: Pool; totals: CallTotals },
  accountId: number,
  filter: CallFilter,
  { page, perPage }: { page: number; perPage: number },
): Promise<CallPage> {
  const condition = conditionOf(accountId, filter, await ownNumbersOf(parts.pool, accountId, filter.search));
  const offset = (page - 1) * perPage;
  if (page > 1) {
    const [calls, total] = await Promise.all([
      listed<CallRow>(parts.pool, deepPageQuery(condition, perPage, offset)),
      parts.totals.of(condition),
    ]);
    return { calls, total };
  }
  const calls = await listed<CallRow>(parts.pool, firstPageQuery(condition, perPage));
  // A first page that is not full has shown everything.
  const total = calls.length < perPage ? { count: calls.length, isEstimate: false } : await parts.totals.of(condition);
  return { calls, total };
}

const listed = <T extends CallRow>(pool: Pool, query: Query): Promise<T[]> =>
  rows<T & Record<string, unknown>>(pool, query, query.values);

export function firstPageQuery(condition: Condition, perPage: number): Query {
  const { sql, values } = condition;
  const text = `SELECT ${CALL_COLUMNS} FROM calls WHERE ${sql} ${NEWEST_FIRST} LIMIT $${values.length + 1}`;
  return { name: statementName('first', condition), text, values: [...values, perPage] };
}

/** Skips over ids in the index alone; only the rows of the page are read. */
function deepPageQuery(condition: Condition, perPage: number, offset: number): Query {
  const { sql, values } = condition;
  const text = `SELECT ${CALL_COLUMNS} FROM calls WHERE id IN (
      SELECT id FROM calls WHERE ${sql} ${NEWEST_FIRST} LIMIT $${values.length + 1} OFFSET $${values.length + 2})
    ${NEWEST_FIRST}`;
  return { name: statementName('deep', condition), text, values: [...values, perPage, offset] };
}

/** The calls beside a cursor (without one: the newest), newest first. One statement, as fast at the end as at the beginning. */
export async function sliceOfCalls(
  pool: Pool,
  accountId: number,
  filter: CallFilter,
  { cursor, perPage }: { cursor?: CallCursor; perPage: number },
): Promise<CallSlice> {
  const condition = conditionOf(accountId, filter, await ownNumbersOf(pool, accountId, filter.search));
  const query = sliceQuery(condition, perPage + 1, cursor);
  const found = await listed<ListedCall>(pool, query);
  const more = found.length > perPage;
  const kept = found.slice(0, perPage);
  if (cursor?.direction === 'newer') {
    kept.reverse();
    return { calls: kept, next: cursorAt(kept.at(-1), 'older'), prev: more ? cursorAt(kept[0], 'newer') : null };
  }
  return {
    calls: kept,
    next: more ? cursorAt(kept.at(-1), 'older') : null,
    prev: cursor ? cursorAt(kept[0], 'newer') : null,
  };
}

/** `limit`: one more than are shown, which tells whether there are more. Without a cursor: the newest. */
export function sliceQuery(condition: Condition, limit: number, cursor?: CallCursor): Query {
  const { sql, values } = condition;
  const at = values.length;
  const newer = cursor?.direction === 'newer';
  const beside = `AND (created_at, id) ${newer ? '>' : '<'}
    ('epoch'::timestamptz + $${at + 2}::bigint * interval '1 microsecond', $${at + 3}::uuid)`;
  const text = `SELECT ${CALL_COLUMNS}, (extract(epoch FROM created_at) * 1000000)::bigint AS micros FROM calls
    WHERE ${sql} ${cursor ? beside : ''} ${newer ? OLDEST_FIRST : NEWEST_FIRST} LIMIT $${at + 1}`;
  const name = statementName(cursor ? cursor.direction : 'newest', condition);
  const place = cursor ? [cursor.micros, cursor.id] : [];
  return { name, text, values: [...values, limit, ...place] };
}

export const cursorAt = (call: ListedCall | undefined, direction: CallCursor['direction']): string | null =>
  call ? writeCursor({ micros: call.micros, id: call.id, direction }) : null;
