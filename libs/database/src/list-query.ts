import { createHash } from 'node:crypto';
import { type Pool, type QueryResultRow, escapeLiteral } from 'pg';
import { type ListCursor, writeCursor } from './list-cursor.js';
import { quickRows } from './pipeline.js';
import { type Query, rows } from './statement.js';

/** A condition with its values in the order of their `$n`; `shape` names it: the same shape is the same SQL text. */
export interface Condition {
  sql: string;
  values: unknown[];
  shape: string;
  /** The best plan depends on the values: a rare search is found by its trigrams, a frequent one by walking the list. */
  plannedByValues: boolean;
}

/** Writes the WHERE of an account's rows, part by part. */
export class ConditionWriter {
  private readonly values: unknown[];
  private readonly parts = ['account_id = $1'];
  private readonly shapes: string[] = [];
  plannedByValues = false;

  constructor(accountId: number) {
    this.values = [accountId];
  }

  add(shape: string, part: (placeholder: string) => string, value: unknown): void {
    this.addFixed(shape, part(this.place(value)));
  }

  /** The same, unless there is nothing to narrow to. */
  addGiven(shape: string, part: (placeholder: string) => string, value: unknown): void {
    if (value !== undefined) this.add(shape, part, value);
  }

  /** A part without a value. */
  addFixed(shape: string, part: string): void {
    this.parts.push(part);
    this.shapes.push(shape);
  }

  /** Adds a value and gives its placeholder. */
  place(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  done(): Condition {
    return {
      sql: this.parts.join(' AND '),
      values: this.values,
      shape: this.shapes.join('-'),
      plannedByValues: this.plannedByValues,
    };
  }
}

/** Looked up first: beside an ORDER BY with a LIMIT the planner would rather walk the list until it meets a few of the call. */
export const ofCall =
  ({ name }: { name: string }) =>
  (callId: string): string =>
    `id = ANY (ARRAY(SELECT c.id FROM ${name} c WHERE c.call_id = ${callId}::uuid))`;

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
const statementName = (
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

/** Rows of an answer on a shared connection at most. */
const QUICK_ROWS = 25;

/** Rows of an unfiltered list come from one place of its index, so they may share a connection; filtered lists may take long. */
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

/** `limit` is one more than the page, to know whether there is a next one. Without a cursor: the newest rows. */
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

/** How many rows a condition lets through. */
interface Total {
  count: number;
  /** Beyond the cap the planner is asked, because counting costs more than the page (O(n)). */
  isEstimate: boolean;
}

/** Counted exactly up to here. */
const EXACT_UP_TO = 10_000;
const CACHE_MS = 2_000;
const CACHED_TOTALS = 5_000;

/** Counts rows; large totals, which cost the most and matter the least, are remembered for two seconds. */
export class ListTotals {
  private readonly kept = new Map<string, { total: Total; until: number }>();

  constructor(
    private readonly pool: Pool,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async of(table: ListedTable, condition: Condition): Promise<Total> {
    const key = `${table.name}\n${condition.shape}\n${JSON.stringify(condition.values)}`;
    const kept = this.kept.get(key);
    if (kept && kept.until > this.now()) return kept.total;
    this.kept.delete(key);
    const total = await countRows(this.pool, table, condition);
    if (total.isEstimate) this.keep(key, total);
    return total;
  }

  private keep(key: string, total: Total): void {
    this.kept.set(key, { total, until: this.now() + CACHE_MS });
    const [oldest] = this.kept.keys();
    if (this.kept.size > CACHED_TOTALS && oldest !== undefined) this.kept.delete(oldest);
  }
}

/** PostgreSQL asks its planner itself (`planned_rows`) when the count reaches the cap. */
export function countQuery(table: ListedTable, condition: Condition): Query {
  const { sql, values } = condition;
  const at = values.length;
  const text = `WITH counted AS (SELECT count(*)::integer AS n FROM (SELECT 1 FROM ${table.name} WHERE ${sql} LIMIT $${at + 1}) AS capped)
    SELECT n, CASE WHEN n >= $${at + 1} THEN planned_rows($${at + 2}) END AS planned FROM counted`;
  const question = `SELECT 1 FROM ${table.name} WHERE ${inlined(sql, values)}`;
  return { name: statementName(table, 'count', condition), text, values: [...values, EXACT_UP_TO + 1, question] };
}

async function countRows(pool: Pool, table: ListedTable, condition: Condition): Promise<Total> {
  const query = countQuery(table, condition);
  const [row] = await rows<{ n: number; planned: string | null }>(pool, query, query.values);
  const counted = row?.n ?? 0;
  if (row?.planned === null || row?.planned === undefined) return { count: counted, isEstimate: false };
  return { count: Math.max(counted, Number(row.planned)), isEstimate: true };
}

/** EXPLAIN takes no parameters inside a function: the values are written into the text as literals. */
const inlined = (sql: string, values: unknown[]): string =>
  sql.replace(/\$(\d+)/g, (_placeholder, index: string) => literal(values[Number(index) - 1]));

function literal(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return escapeLiteral(`{${value.join(',')}}`);
  // The first and last days of four-digit years, with an offset, are in years that no timestamp literal can be written with.
  if (value instanceof Date) return `('epoch'::timestamptz + ${value.getTime()} * interval '1 millisecond')`;
  return escapeLiteral(String(value));
}
