import { isPooled } from '@app/common';
import { Client, type ClientConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { COLUMN_TYPES } from './column-types.js';

/**
 * `poolSize`: connections per process. The server ends a statement after 30 s (`statementMs`; 0: no limit); behind a pooler, the pooler
 * sets this limit (docs/operate/install.md).
 */
export function dataSourceOptions(url: string, poolSize = 10, statementMs = 30_000): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    extra: {
      max: poolSize,
      connectionTimeoutMillis: 5_000,
      // Only the statements of pipeline.ts share a connection.
      pipeline: true,
      types: COLUMN_TYPES,
      ...answered(statementMs),
      application_name: 'trunkline',
      ...(isPooled(url) ? { Client: UnnamedClient } : { statement_timeout: statementMs }),
    },
  };
}

/**
 * A server that vanished (a failover, a cut network) neither answers nor closes the connection: without a client-side limit a query
 * would wait forever. The limit is later than that of the server, so that the server ends slow statements.
 */
const answered = (statementMs: number): { query_timeout?: number; keepAlive: boolean } =>
  statementMs > 0 ? { query_timeout: statementMs + 5_000, keepAlive: true } : { keepAlive: true };

/**
 * For a pooler in transaction mode: a named statement would be prepared in one session of the server and executed in another.
 * Without names PostgreSQL parses and plans each time (pgbouncer 1.21 and newer supports names; Debian 12 ships 1.18, which does not).
 */
class UnnamedClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((statement: unknown, ...rest: unknown[]) =>
      query(withoutName(statement), ...rest)) as Client['query'];
  }
}

/** TypeORM's cursors, which have a `submit`, are passed on unchanged. */
function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return statement;
  return { ...statement, name: undefined };
}
