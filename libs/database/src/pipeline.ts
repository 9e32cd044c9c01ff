import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { isTimeout, type Query, rows, type Sql, type Statement } from './statement.js';

/** How reads share connections: so many in flight on one, and so many connections; the rest goes to the pool. */
interface Sharing {
  depth: number;
  connections: number;
}

/** Reads of one row: PostgreSQL answers them faster than it wakes a second session. */
const ROWS_BY_KEY: Sharing = { depth: 64, connections: 1 };
/** A page of rows takes PostgreSQL about half a millisecond: two sessions, so that it does not wait for one (docs/decisions/0030). */
const PAGES: Sharing = { depth: 16, connections: 2 };

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
  const { rows: found } = await pipelinesOf(sql).rowsByKey.query<T>({ ...statement, values });
  return found;
}

/** `quickRows` for the rows of a page that come from one place of an index. */
export async function quickPage<T extends QueryResultRow>(pool: Pool, query: Query): Promise<T[]> {
  const { rows: found } = await pipelinesOf(pool).pages.query<T>(query);
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

interface Pipelines {
  rowsByKey: Pipeline;
  pages: Pipeline;
}

const pipelines = new WeakMap<Pool, Pipelines>();

function pipelinesOf(pool: Pool): Pipelines {
  const known = pipelines.get(pool);
  if (known) return known;
  const made = { rowsByKey: new Pipeline(pool, ROWS_BY_KEY), pages: new Pipeline(pool, PAGES) };
  pipelines.set(pool, made);
  return made;
}

class Pipeline {
  private open: PipelinedConnection[] = [];

  constructor(
    private readonly pool: Pool,
    private readonly sharing: Sharing,
  ) {}

  query<T extends QueryResultRow>(query: Query): Promise<QueryResult<T>> {
    return this.connection()?.query<T>(query) ?? this.pool.query<T>(query);
  }

  /** The one with the fewest statements in flight; undefined: all are full. */
  private connection(): PipelinedConnection | undefined {
    const { depth, connections } = this.sharing;
    this.open = this.open.filter(({ acceptsMore }) => acceptsMore);
    let least: PipelinedConnection | undefined;
    for (const one of this.open) if (!least || one.inFlight < least.inFlight) least = one;
    if (least && least.inFlight < depth) return least;
    if (this.open.length >= connections) return undefined;
    const opened = new PipelinedConnection(this.pool);
    this.open.push(opened);
    return opened;
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
