import { Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { isTimeout, type Query, rows, type Sql, type Statement } from './statement.js';

/** Under way on one connection: more would wait longer for one another than for a connection of their own. */
const UNDER_WAY = 64;

/**
 * For a statement that is answered at once and changes nothing: by a key, or a few rows of an index. Those that are asked at the
 * same time share one connection of the pool, and what one turn of the event loop brings goes out in one write: to wake a session
 * of PostgreSQL takes longer than to answer such a statement, and was half of what a request cost. They are answered one
 * after the other, so whatever may take long, waits for a lock or for the disk is asked by `rows`.
 * https://node-postgres.com/features/pipelining
 */
export async function quickRows<T extends QueryResultRow>(
  sql: Sql,
  statement: Statement,
  values: unknown[] = [],
): Promise<T[]> {
  if (!(sql instanceof Pool)) return rows<T>(sql, statement, values);
  const { rows: found } = await pipelineOf(sql).query<T>({ ...statement, values });
  return found;
}

const pipelines = new WeakMap<Pool, Pipeline>();

function pipelineOf(pool: Pool): Pipeline {
  const known = pipelines.get(pool);
  if (known) return known;
  const pipeline = new Pipeline(pool);
  pipelines.set(pool, pipeline);
  return pipeline;
}

class Pipeline {
  private line: Line | undefined;

  constructor(private readonly pool: Pool) {}

  query<T extends QueryResultRow>(query: Query): Promise<QueryResult<T>> {
    if (!this.line?.goesOn) this.line = new Line(this.pool);
    return this.line.underWay < UNDER_WAY ? this.line.query<T>(query) : this.pool.query<T>(query);
  }
}

/** A connection for as long as something is under way on it: the pool is never larger than it may be, and can end. */
class Line {
  underWay = 0;
  private readonly opened: Promise<PoolClient>;
  private client: PoolClient | undefined;
  private broken: Error | undefined;
  private isOver = false;
  private isHeldBack = false;

  constructor(private readonly pool: Pool) {
    this.opened = pool.connect().then((client) => {
      client.on('error', this.onError);
      return (this.client = client);
    });
  }

  /** Whoever waits for a connection of the pool gets this one after what is under way; the next statement stands in line behind him. */
  get goesOn(): boolean {
    return !this.isOver && !this.broken && !(this.client && this.pool.waitingCount > 0);
  }

  async query<T extends QueryResultRow>(query: Query): Promise<QueryResult<T>> {
    this.underWay += 1;
    try {
      const client = this.client ?? (await this.opened);
      this.holdBack(client);
      return await client.query<T>(query);
    } catch (error) {
      if (isTimeout(error)) this.broken = error;
      throw error;
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) this.giveBack();
    }
  }

  /** What is asked in this turn of the event loop leaves at its end, together. */
  private holdBack(client: PoolClient): void {
    if (this.isHeldBack) return;
    this.isHeldBack = true;
    const { stream } = client.connection;
    stream.cork();
    setImmediate(() => {
      this.isHeldBack = false;
      stream.uncork();
    });
  }

  private giveBack(): void {
    this.isOver = true;
    this.client?.off('error', this.onError);
    this.client?.release(this.broken);
  }

  /** A checked-out client emits 'error' when the server goes away; without a listener that would end the process. */
  private readonly onError = (error: Error): void => {
    this.broken = error;
  };
}
