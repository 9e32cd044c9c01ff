import type { Pool, PoolClient } from 'pg';

/** As `rows` and `quickRows` send it. */
export interface SentStatement {
  text: string;
  values: unknown[];
}

/** The statements on the connections of a pool during `work`, in order. */
export async function statementsOf(pool: Pool, work: () => PromiseLike<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  const heard = new Set<PoolClient>();
  const onAcquire = (client: PoolClient): void => {
    if (heard.has(client)) return;
    heard.add(client);
    const query = client.query.bind(client) as (statement: SentStatement | string, ...rest: unknown[]) => unknown;
    const heardQuery = (statement: SentStatement | string, ...rest: unknown[]): unknown => {
      // TypeORM sends texts.
      const values = Array.isArray(rest[0]) ? (rest[0] as unknown[]) : [];
      sent.push(typeof statement === 'string' ? { text: statement, values } : statement);
      return query(statement, ...rest);
    };
    Object.assign(client, { query: heardQuery });
  };
  pool.on('acquire', onAcquire);
  try {
    await work();
  } finally {
    pool.off('acquire', onAcquire);
    for (const client of heard) delete (client as { query?: unknown }).query;
  }
  return sent;
}
