import { createHash } from 'node:crypto';
import type { Pool, QueryResultRow } from 'pg';
import type { Condition } from './list-condition.js';
import { type ListCursor, writeCursor } from './list-cursor.js';
import type { ListTotals, Total } from './list-totals.js';
import { quickRows } from './pipeline.js';
import { type Query, rows } from './statement.js';

/** A table whose rows are listed newest first: its `id` is a uuid, `time` a column that never changes. */
export interface ListedTable {
  name: string;
  columns: string;
  time: 'created_at' | 'started_at';
}

export interface ListPage<T> {
  rows: T[];
  total: Total;
}

export interface ListSlice<T> {
  rows: T[];
  /** Cursors of the neighbours; null: there is nothing. */
  next: string | null;
  prev: string | null;
}

/** A row as `sliceQuery` gives it. */
export type Listed<T> = T & { id: string; micros: string };

type Order = 'ASC' | 'DESC';

const ordered = ({ time }: ListedTable, order: Order): string => `ORDER BY ${time} ${order}, id ${order}`;

/** Prepared once per connection; undefined: planned anew each time. */
export const statementName = (
  table: Pick<ListedTable, 'name'>,
  use: string,
  { shape, plannedByValues }: Condition,
): string | undefined => (plannedByValues ? undefined : shortened(`${table.name}-${use}-${shape}`));

/** PostgreSQL cuts names after 63 bytes: two long ones would be one. */
const shortened = (name: string): string =>
  name.length <= 63 ? name : `${name.slice(0, 30)}-${createHash('md5').update(name).digest('hex')}`;

/** A numbered page, newest first, with the total: at most two statements. */
export async function pageOf<T extends object>(
  parts: { pool: Pool; totals: ListTotals },
  table: ListedTable,
  condition: Condition,
  { page, perPage }: { page: number; perPage: number },
): Promise<ListPage<T>> {
  const offset = (page - 1) * perPage;
  if (page > 1) {
    const [found, total] = await Promise.all([
      listed<T>(parts.pool, deepPageQuery(table, condition, perPage, offset)),
      parts.totals.of(table, condition),
    ]);
    return { rows: found, total };
  }
  const found = await beside<T>(parts.pool, condition, firstPageQuery(table, condition, perPage), perPage);
  // A first page that is not full has shown everything.
  if (found.length < perPage) return { rows: found, total: { count: found.length, isEstimate: false } };
  return { rows: found, total: await parts.totals.of(table, condition) };
}

const listed = <T extends object>(pool: Pool, query: Query): Promise<T[]> =>
  rows<T & QueryResultRow>(pool, query, query.values);

/** Rows that others have to wait for. */
const QUICK_ROWS = 25;

/** Rows from one place of the index that serves the whole list; what is narrowed may have to look for them. */
const beside = <T extends object>(pool: Pool, { shape }: Condition, query: Query, count: number): Promise<T[]> =>
  shape === '' && count <= QUICK_ROWS
    ? quickRows<T & QueryResultRow>(pool, query, query.values)
    : listed<T>(pool, query);

export function firstPageQuery(table: ListedTable, condition: Condition, perPage: number): Query {
  const { sql, values } = condition;
  const text = `SELECT ${table.columns} FROM ${table.name} WHERE ${sql} ${ordered(table, 'DESC')} LIMIT $${values.length + 1}`;
  return { name: statementName(table, 'first', condition), text, values: [...values, perPage] };
}

/** Skips over ids in the index alone; only the rows of the page are read. */
function deepPageQuery(table: ListedTable, condition: Condition, perPage: number, offset: number): Query {
  const { sql, values } = condition;
  const text = `SELECT ${table.columns} FROM ${table.name} WHERE id IN (
      SELECT id FROM ${table.name} WHERE ${sql} ${ordered(table, 'DESC')} LIMIT $${values.length + 1} OFFSET $${values.length + 2})
    ${ordered(table, 'DESC')}`;
  return { name: statementName(table, 'deep', condition), text, values: [...values, perPage, offset] };
}

/** The rows beside a cursor (without one: the newest), newest first. One statement, as fast at the end as at the beginning. */
export async function sliceOf<T extends object>(
  pool: Pool,
  table: ListedTable,
  condition: Condition,
  { cursor, perPage }: { cursor?: ListCursor; perPage: number },
): Promise<ListSlice<Listed<T>>> {
  const query = sliceQuery(table, condition, perPage + 1, cursor);
  const found = await beside<Listed<T>>(pool, condition, query, perPage);
  const more = found.length > perPage;
  const kept = found.slice(0, perPage);
  if (cursor?.direction === 'newer') {
    kept.reverse();
    return { rows: kept, next: cursorAt(kept.at(-1), 'older'), prev: more ? cursorAt(kept[0], 'newer') : null };
  }
  return {
    rows: kept,
    next: more ? cursorAt(kept.at(-1), 'older') : null,
    prev: cursor ? cursorAt(kept[0], 'newer') : null,
  };
}

/** `limit`: one more than are shown, which tells whether there are more. Without a cursor: the newest. */
export function sliceQuery(table: ListedTable, condition: Condition, limit: number, cursor?: ListCursor): Query {
  const { sql, values } = condition;
  const at = values.length;
  const newer = cursor?.direction === 'newer';
  const beside = `AND (${table.time}, id) ${newer ? '>' : '<'}
    ('epoch'::timestamptz + $${at + 2}::bigint * interval '1 microsecond', $${at + 3}::uuid)`;
  const text = `SELECT ${table.columns}, (extract(epoch FROM ${table.time}) * 1000000)::bigint AS micros FROM ${table.name}
    WHERE ${sql} ${cursor ? beside : ''} ${ordered(table, newer ? 'ASC' : 'DESC')} LIMIT $${at + 1}`;
  const name = statementName(table, cursor ? cursor.direction : 'newest', condition);
  const place = cursor ? [cursor.micros, cursor.id] : [];
  return { name, text, values: [...values, limit, ...place] };
}

export const cursorAt = (
  row: { id: string; micros: string } | undefined,
  direction: ListCursor['direction'],
): string | null => (row ? writeCursor({ micros: row.micros, id: row.id, direction }) : null);
