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

/** What runs SQL: the pool, or the one client of a transaction. Functions that must join a transaction take this. */
export type Sql = Pick<Pool | PoolClient, 'query'>;

/** Runs a statement and gives its rows. */
export async function rows<T extends QueryResultRow>(
  sql: Sql,
  statement: Statement,
  values: unknown[] = [],
): Promise<T[]> {
  const result = await sql.query<T>({ ...statement, values });
  return result.rows;
}

/** `query_timeout` has passed: what else is asked of the connection does not come back either. */
export const isTimeout = (error: unknown): error is Error =>
  error instanceof Error && error.message === 'Query read timeout';

/** The pg pool underneath a TypeORM data source: hot queries run as named prepared statements on it. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

/** BEGIN … COMMIT on one client; ROLLBACK and the error passed on when `work` throws. Never wait for a network inside. */
export async function inTransaction<T>(pool: Pool, work: (sql: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A checked-out client emits 'error' when the server goes away; without a listener that would end the process.
  let broken: Error | undefined;
  const onError = (error: Error) => (broken = error);
  client.on('error', onError);
  try {
    await client.query('BEGIN');
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

/** What ILIKE takes for text that may hold its own signs. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
