import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { type Pool, type QueryResultRow, escapeLiteral } from 'pg';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { quickPage } from './pipeline.js';
import { type Query, rows } from './statement.js';

/** A position beside a row of a list, and the reading direction. */
export interface ListCursor {
  /** Time of that row in microseconds since 1970: a Date has only milliseconds. */
  micros: string;
  id: string;
  direction: 'older' | 'newer';
}

const CURSOR = /^([on])(-?\d{1,17})_([0-9a-f-]{36})$/;

/** Opaque to clients. */
export const writeCursor = ({ micros, id, direction }: ListCursor): string =>
  Buffer.from(`${direction === 'older' ? 'o' : 'n'}${micros}_${id}`).toString('base64url');

/** Undefined: the text is not a cursor. */
export function readCursor(text: string): ListCursor | undefined {
  const match = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1'));
  const [, letter, micros, id] = match ?? [];
  if (!micros || !id || !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return undefined;
  return { micros, id, direction: letter === 'o' ? 'older' : 'newer' };
}

/** A condition with its values in the order of their `$n`; `shape` names it: the same shape is the same SQL text. */
export interface Condition {
  sql: string;
  values: unknown[];
  shape: string;
  /** The rows come from one place of an index, whatever the values are. */
  isQuick: boolean;
  /** The best plan depends on the values: a rare search is found by its trigrams, a frequent one by walking the list. */
  plannedByValues: boolean;
  /**
   * The same condition without the index of the search. When present, matches are read first: few are sorted, and for many the list is
   * walked by this condition.
   */
  walkedSql?: string;
}

/** Builds the WHERE clause of an account's rows. */
export class ConditionWriter {
  private readonly values: unknown[];
  private readonly parts = ['account_id = $1'];
  private readonly walkedParts = [...this.parts];
  private readonly shapes: string[] = [];
  private indexed = 0;
  plannedByValues = false;

  constructor(accountId: number) {
    this.values = [accountId];
  }

  add(shape: string, part: (placeholder: string) => string, value: unknown): void {
    this.addFixed(shape, part(this.place(value)));
  }

  /** `add`, unless the value is undefined. */
  addGiven(shape: string, part: (placeholder: string) => string, value: unknown): void {
    if (value !== undefined) this.add(shape, part, value);
  }

  /** A condition without a value. */
  addFixed(shape: string, part: string): void {
    this.addSearch(shape, part, part);
  }

  /** A condition without a value, with a partial index in the order of the list: its rows come from one place, as those of all rows do. */
  addIndexed(shape: string, part: string): void {
    this.addFixed(shape, part);
    this.indexed += 1;
  }

  /** A condition that is planned by its values; `walkedPart`: the same without its index. */
  addSearch(shape: string, part: string, walkedPart: string): void {
    this.parts.push(part);
    this.walkedParts.push(walkedPart);
    this.shapes.push(shape);
  }

  /** Adds a value and returns its placeholder. */
  place(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  done(): Condition {
    const sql = this.parts.join(' AND ');
    const walkedSql = this.walkedParts.join(' AND ');
    return {
      sql,
      values: this.values,
      shape: this.shapes.join('-'),
      isQuick: this.shapes.length === this.indexed,
      plannedByValues: this.plannedByValues,
      ...(walkedSql !== sql && { walkedSql }),
    };
  }
}

/** As an array of ids: beside ORDER BY and LIMIT the planner would otherwise scan the list until it finds rows of the call. */
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
  /** Cursors of the neighbouring slices; null: there is none. */
  next: string | null;
  prev: string | null;
}

/** A row of `sliceQuery`. */
export type Listed<T> = T & { id: string; micros: string };

type Order = 'ASC' | 'DESC';

const ordered = ({ time }: ListedTable, order: Order): string => `ORDER BY ${time} ${order}, id ${order}`;

/** A named statement is prepared once per connection; undefined: the statement is planned each time. */
const statementName = (
  table: Pick<ListedTable, 'name'>,
  use: string,
  { shape, plannedByValues }: Condition,
): string | undefined => (plannedByValues ? undefined : shorten(`${table.name}-${use}-${shape}`));

/** PostgreSQL truncates names to 63 bytes: two long names could become equal. */
const shorten = (name: string): string =>
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
  // A first page that is not full contains all rows.
  if (found.length < perPage) return { rows: found, total: { count: found.length, isEstimate: false } };
  return { rows: found, total: await parts.totals.of(table, condition) };
}

const listed = <T extends object>(pool: Pool, query: Query): Promise<T[]> =>
  rows<T & QueryResultRow>(pool, query, query.values);

/** The largest result on a shared connection. */
const QUICK_ROWS = 25;

/** Rows from one place of an index may share a connection; filtered lists may take long. */
const beside = <T extends object>(pool: Pool, { isQuick }: Condition, query: Query, count: number): Promise<T[]> =>
  isQuick && count <= QUICK_ROWS ? quickPage<T & QueryResultRow>(pool, query) : listed<T>(pool, query);

/** More matches than this are frequent enough to be found soon in the order of the list. */
const FEW = 2_000;

interface OrderedRows {
  columns: string;
  /** Restricts the rows further. */
  beside?: string;
  order: Order;
  /** LIMIT and OFFSET. */
  limit: string;
}

/**
 * Rows in the order of the list. A search has two branches, of which one is executed: the planner takes a part of a number that occurs in
 * a value of its statistics for one of every hundred rows and would walk 2,000,000 calls (6 s) to find a few; of other parts that match
 * thousands it expects a hundred, and would read and sort all of them.
 */
function orderRows(
  table: ListedTable,
  condition: Condition,
  { columns, beside = '', order, limit }: OrderedRows,
): string {
  const { sql, walkedSql } = condition;
  const from = `SELECT ${columns} FROM ${table.name} WHERE`;
  const rest = `${beside} ${ordered(table, order)} ${limit}`;
  if (walkedSql === undefined) return `${from} ${sql} ${rest}`;
  return `WITH few AS MATERIALIZED (SELECT id FROM ${table.name} WHERE ${sql} LIMIT ${FEW + 1}),
      counted AS MATERIALIZED (SELECT count(*) <= ${FEW} AS are_few FROM few)
    (${from} (SELECT are_few FROM counted) AND id = ANY (ARRAY(SELECT id FROM few)) ${rest})
    UNION ALL
    (${from} NOT (SELECT are_few FROM counted) AND ${walkedSql} ${rest})`;
}

export function firstPageQuery(table: ListedTable, condition: Condition, perPage: number): Query {
  const { values } = condition;
  const text = orderRows(table, condition, {
    columns: table.columns,
    order: 'DESC',
    limit: `LIMIT $${values.length + 1}`,
  });
  return { name: statementName(table, 'first', condition), text, values: [...values, perPage] };
}

/** Skips ids in the index; only the rows of the page are read. */
function deepPageQuery(table: ListedTable, condition: Condition, perPage: number, offset: number): Query {
  const { values } = condition;
  const limit = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
  const ids = orderRows(table, condition, { columns: 'id', order: 'DESC', limit });
  const text = `SELECT ${table.columns} FROM ${table.name} WHERE id IN (${ids}) ${ordered(table, 'DESC')}`;
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

/** `limit` is one more than the page, which shows whether there is a next slice. Without a cursor: the newest rows. */
export function sliceQuery(table: ListedTable, condition: Condition, limit: number, cursor?: ListCursor): Query {
  const { values } = condition;
  const at = values.length;
  const newer = cursor?.direction === 'newer';
  const beside = `AND (${table.time}, id) ${newer ? '>' : '<'}
    ('epoch'::timestamptz + $${at + 2}::bigint * interval '1 microsecond', $${at + 3}::uuid)`;
  const text = orderRows(table, condition, {
    columns: `${table.columns}, (extract(epoch FROM ${table.time}) * 1000000)::bigint AS micros`,
    ...(cursor && { beside }),
    order: newer ? 'ASC' : 'DESC',
    limit: `LIMIT $${at + 1}`,
  });
  const name = statementName(table, cursor ? cursor.direction : 'newest', condition);
  const place = cursor ? [cursor.micros, cursor.id] : [];
  return { name, text, values: [...values, limit, ...place] };
}

export const cursorAt = (
  row: { id: string; micros: string } | undefined,
  direction: ListCursor['direction'],
): string | null => (row ? writeCursor({ micros: row.micros, id: row.id, direction }) : null);

/** The number of rows that match a condition. */
interface Total {
  count: number;
  /** Beyond the cap it is the planner's estimate, because counting (O(n)) costs more than the page. */
  isEstimate: boolean;
}

/** Counted exactly up to here. */
const EXACT_UP_TO = 10_000;
const CACHE_MS = 2_000;
const CACHED_TOTALS = 5_000;

/** A count in the database, and the one that starts at its end. */
interface Counting {
  ended: Promise<void>;
  next?: Promise<Total>;
}

/**
 * Counts rows. Large totals, which are the most expensive and the least important, are cached for two seconds. Requests that arrive during
 * a count share the next one: it starts after all of them, so that their total contains every row that was committed before.
 */
export class ListTotals {
  private readonly kept = new LRUCache<string, { total: Total; until: number }>({ max: CACHED_TOTALS });
  private readonly counting = new Map<string, Counting>();

  constructor(
    private readonly pool: Pool,
    private readonly now: () => number = () => performance.now(),
  ) {}

  of(table: ListedTable, condition: Condition): Promise<Total> {
    const key = `${table.name}\n${condition.shape}\n${JSON.stringify(condition.values)}`;
    const count = () => this.keptOrCounted(key, table, condition);
    const running = this.counting.get(key);
    if (!running) return this.start(key, count);
    running.next ??= running.ended.then(() => this.start(key, count));
    return running.next;
  }

  private start(key: string, count: () => Promise<Total>): Promise<Total> {
    const total = count();
    const end = () => {
      if (!counting.next) this.counting.delete(key);
    };
    const counting: Counting = { ended: total.then(end, end) };
    this.counting.set(key, counting);
    return total;
  }

  private async keptOrCounted(key: string, table: ListedTable, condition: Condition): Promise<Total> {
    const kept = this.kept.get(key);
    if (kept && kept.until > this.now()) return kept.total;
    const total = await countRows(this.pool, table, condition);
    if (total.isEstimate) this.kept.set(key, { total, until: this.now() + CACHE_MS });
    return total;
  }
}

/** When the count reaches the cap, the function `planned_rows` returns the planner's estimate in the same statement. */
export function countQuery(table: ListedTable, condition: Condition): Query {
  const { sql, values } = condition;
  const at = values.length;
  const text = `WITH counted AS (SELECT count(*)::integer AS n FROM (SELECT 1 FROM ${table.name} WHERE ${sql} LIMIT $${at + 1}) AS capped)
    SELECT n, CASE WHEN n >= $${at + 1} THEN planned_rows($${at + 2}) END AS planned FROM counted`;
  const question = `SELECT 1 FROM ${table.name} WHERE ${inline(sql, values)}`;
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
const inline = (sql: string, values: unknown[]): string =>
  sql.replace(/\$(\d+)/g, (_placeholder, index: string) => literal(values[Number(index) - 1]));

function literal(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return escapeLiteral(`{${value.join(',')}}`);
  // With an offset, the first and last days of four-digit years are in years that a timestamp literal cannot express.
  if (value instanceof Date) return `('epoch'::timestamptz + ${value.getTime()} * interval '1 millisecond')`;
  return escapeLiteral(String(value));
}

/** A numbered page of entities with the total, in one statement; only a page beyond the last one needs a second, which counts. */
export async function entityPage<E extends ObjectLiteral>(
  query: SelectQueryBuilder<E>,
  { limit, offset }: { limit: number; offset: number },
): Promise<[E[], number]> {
  const counted = query.clone().addSelect('(count(*) OVER ())::integer', 'total');
  const { entities, raw } = await counted.limit(limit).offset(offset).getRawAndEntities<{ total: number }>();
  const total = raw[0]?.total ?? (offset === 0 ? 0 : await query.getCount());
  return [entities, total];
}
