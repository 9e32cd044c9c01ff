import { rows, type Sql } from '@app/database';
import { isDeepStrictEqual } from 'node:util';

export type SaveResult = 'created' | 'updated' | 'unchanged';

/** A column's new value, and how to tell whether the stored one means the same (sealed values differ every time). */
export interface ColumnValue {
  value: unknown;
  equals(stored: unknown): boolean;
}

export const column = (value: unknown): ColumnValue => ({
  value,
  equals: (stored) => isDeepStrictEqual(stored, value),
});

/** For a jsonb column: pg would write a list as an array of its own. */
export const jsonColumn = (value: unknown): ColumnValue => ({
  value: value === null ? null : JSON.stringify(value),
  equals: (stored) => isDeepStrictEqual(stored, value),
});

export type Columns = Record<string, ColumnValue | undefined>;

/** A column that has another value now. */
export interface ColumnChange {
  column: string;
  from: unknown;
  to: unknown;
}

export interface SavedRow {
  id: number;
  result: SaveResult;
  /** Of a row that is updated. */
  changes: ColumnChange[];
}

/**
 * Creates the row or changes what differs; columns that are undefined are left alone. Table and column names come from code,
 * never from a file.
 */
export async function saveRow(
  sql: Sql,
  table: string,
  identity: Record<string, unknown>,
  columns: Columns,
): Promise<SavedRow> {
  const given = Object.entries(columns).filter((entry): entry is [string, ColumnValue] => entry[1] !== undefined);
  const where = Object.keys(identity).map((name, index) => `${name} = $${index + 1}`);
  const text = `SELECT * FROM ${table} WHERE ${where.join(' AND ')} FOR UPDATE`;
  const [stored] = await rows<{ id: number } & Record<string, unknown>>(sql, { text }, Object.values(identity));
  if (!stored) return { id: await insert(sql, table, identity, given), result: 'created', changes: [] };
  const changed = given.filter(([name, wanted]) => !wanted.equals(stored[name]));
  if (changed.length === 0) return { id: stored.id, result: 'unchanged', changes: [] };
  await update(sql, table, stored.id, changed);
  const changes = changed.map(([name, { value }]) => ({ column: name, from: stored[name], to: value }));
  return { id: stored.id, result: 'updated', changes };
}

async function insert(
  sql: Sql,
  table: string,
  identity: Record<string, unknown>,
  given: [string, ColumnValue][],
): Promise<number> {
  const names = [...Object.keys(identity), ...given.map(([name]) => name)];
  const values = [...Object.values(identity), ...given.map(([, { value }]) => value)];
  const places = names.map((_, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')}) RETURNING id`;
  const [row] = await rows<{ id: number }>(sql, { text }, values);
  if (!row) throw new Error(`No row was stored in ${table}.`);
  return row.id;
}

async function update(sql: Sql, table: string, id: number, changed: [string, ColumnValue][]): Promise<void> {
  const sets = changed.map(([name], index) => `${name} = $${index + 2}`);
  const text = `UPDATE ${table} SET ${sets.join(', ')}, updated_at = now() WHERE id = $1`;
  await sql.query(text, [id, ...changed.map(([, { value }]) => value)]);
}
