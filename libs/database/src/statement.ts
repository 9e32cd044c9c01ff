import type { Pool, PoolClient, QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';

/** A statement that PostgreSQL parses and plans once per connection when it has a `name`. */
export interface Statement {
  name?: string;
  text: string;
  /** ms to wait for the answer, where the connection's own limit is too short. */
  query_timeout?: number;
}

/** A statement with the values of its `$n`. */
export interface Query extends Statement {
  values: unknown[];
}

/** The pool, or the client of a transaction. */
export type Sql = Pick<Pool | PoolClient, 'query'>;

/** Runs a statement and returns its rows. */
export async function rows<T extends QueryResultRow>(
  sql: Sql,
  statement: Statement,
  values: unknown[] = [],
): Promise<T[]> {
  const result = await sql.query<T>({ ...statement, values });
  return result.rows;
}

/** `query_timeout` has passed: no further query on the connection gets an answer either. */
export const isTimeout = (error: unknown): error is Error =>
  error instanceof Error && error.message === 'Query read timeout';

/** The pg pool underneath a TypeORM data source: hot queries run as named prepared statements on it. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

/** BEGIN … COMMIT on one client; ROLLBACK when `work` throws, whose error is rethrown. `work` never waits for a network. */
export async function inTransaction<T>(pool: Pool, work: (sql: PoolClient) => Promise<T>, begin = 'BEGIN'): Promise<T> {
  const client = await pool.connect();
  // A checked-out client emits 'error' when the server goes away; without a listener that would end the process.
  let broken: Error | undefined;
  const onError = (error: Error) => (broken = error);
  client.on('error', onError);
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (isTimeout(error)) broken = error;
    if (!broken) await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** An ILIKE pattern for text, with its wildcard characters escaped. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Untrusted text for a column of type text, which cannot store NUL; the driver replaces lone surrogates. */
export const pgText = (text: string): string => text.replaceAll('\0', '\ufffd');

/** An escaped backslash, which is kept, or an escape that jsonb refuses: NUL, or half of a surrogate pair. */
const ESCAPES = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g;

/** JSON.stringify with U+FFFD for characters that jsonb cannot store: models and endpoints may send any. */
export const pgJson = (value: unknown): string =>
  JSON.stringify(value).replace(ESCAPES, (escape) => (escape === '\\\\' ? escape : '\\ufffd'));
