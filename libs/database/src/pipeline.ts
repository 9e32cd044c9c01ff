import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { isTimeout, type Query, rows, type Sql, type Statement } from './statement.js';

/** Statements in flight on one connection: beyond this, another connection of the pool is faster. */
const MAX_IN_FLIGHT = 64;

/**
 * Runs a read that PostgreSQL answers at once: by a key, or a few rows of an index. Concurrent reads share one connection of the pool,
 * and the reads of one event-loop turn are sent in one write: waking a PostgreSQL session takes longer than answering such a statement,
 * and was half of the cost of a request. Results arrive in order, so a statement that may take long, or waits for a lock or the disk,
 * goes through `rows`. https://node-postgres.com/features/pipelining
 */
export async function quickRows<T extends QueryResultRow>(
  sql: Sql,
  statement: Statement,
  values: unknown[] = [],
): Promise<T[]> {
  if (!isPool(sql)) return rows<T>(sql, statement, values);
  const { rows: found } = await pipelineOf(sql).query<T>({ ...statement, values });
  return found;
}

/**
 * Runs the statements in a transaction of their own and sends them in one write: BEGIN and COMMIT cost no round trips, and each statement
 * sees what was committed before it began. Returns the rows of the last one. A statement that fails undoes the others.
 */
export async function transactionInOneWrite<T extends QueryResultRow>(
  pool: Pool,
  queries: readonly Query[],
): Promise<T[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => void (broken = error);
  client.on('error', onError);
  const { stream } = client.connection;
  stream.cork();
  const sent = [{ text: 'BEGIN' }, ...queries, { text: 'COMMIT' }].map((query) => client.query<T>(query));
  stream.uncork();
  const answers = await Promise.allSettled(sent);
  client.off('error', onError);
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (isTimeout(failed?.reason)) broken = failed.reason;
  client.release(broken);
  if (failed) throw failed.reason;
  const last = answers.at(-2);
  return last?.status === 'fulfilled' ? last.value.rows : [];
}

/** TypeORM created the pool: from whichever copy of pg its class is, it hands out connections, and a client does not. */
const isPool = (sql: Sql): sql is Pool => 'totalCount' in sql;

const pipelines = new WeakMap<Pool, Pipeline>();

function pipelineOf(pool: Pool): Pipeline {
  const known = pipelines.get(pool);
  if (known) return known;
  const pipeline = new Pipeline(pool);
  pipelines.set(pool, pipeline);
  return pipeline;
}

class Pipeline {
  private connection: PipelinedConnection | undefined;

  constructor(private readonly pool: Pool) {}

  query<T extends QueryResultRow>(query: Query): Promise<QueryResult<T>> {
    if (!this.connection?.acceptsMore) this.connection = new PipelinedConnection(this.pool);
    return this.connection.inFlight < MAX_IN_FLIGHT ? this.connection.query<T>(query) : this.pool.query<T>(query);
  }
}

/** A connection of the pool, checked out while statements are in flight on it: the size of the pool stays, and it can end. */
class PipelinedConnection {
  inFlight = 0;
  private opening: Promise<PoolClient> | undefined;
  private client: PoolClient | undefined;
  private broken: Error | undefined;
  private isReleased = false;
  private isCorked = false;

  constructor(private readonly pool: Pool) {}

  /** False while a caller waits for a connection of the pool: it gets this connection when the statements in flight are answered. */
  get acceptsMore(): boolean {
    return !this.isReleased && !this.broken && !(this.client && this.pool.waitingCount > 0);
  }

  async query<T extends QueryResultRow>(query: Query): Promise<QueryResult<T>> {
    this.inFlight += 1;
    try {
      const client = this.client ?? (await this.connect());
      this.cork(client);
      return await client.query<T>(query);
    } catch (error) {
      if (isTimeout(error)) this.broken = error;
      throw error;
    } finally {
      this.inFlight -= 1;
      if (this.inFlight === 0) this.release();
    }
  }

  private connect(): Promise<PoolClient> {
    this.opening ??= this.pool.connect().then((client) => {
      client.on('error', this.onError);
      return (this.client = client);
    });
    return this.opening;
  }

  /** Queries issued in one turn of the event loop are flushed in one write. */
  private cork(client: PoolClient): void {
    if (this.isCorked) return;
    this.isCorked = true;
    const { stream } = client.connection;
    stream.cork();
    setImmediate(() => {
      this.isCorked = false;
      stream.uncork();
    });
  }

  private release(): void {
    this.isReleased = true;
    this.client?.off('error', this.onError);
    this.client?.release(this.broken);
  }

  /** A checked-out client emits 'error' when the server goes away; without a listener that would end the process. */
  private readonly onError = (error: Error): void => {
    this.broken = error;
  };
}
