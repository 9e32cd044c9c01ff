import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { watchPool } from '@app/metrics';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { pendingMigrations } from './migration-files.js';
import { quickRows, transactionInOneWrite } from './pipeline.js';
import { inTransaction, poolOf, type Query, rows, type Sql, type Statement } from './statement.js';

/** A transaction whose work goes through entities; prepared statements join it as `tx`, TypeORM as `tx.manager`. */
export interface EntityTransaction extends Sql {
  manager: EntityManager;
}

/**
 * The one connection pool of the process: TypeORM and the prepared statements of the hot paths share it. Repositories inject it;
 * services use only its transactions.
 */
@Injectable()
export class Database {
  readonly pool: Pool;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOG) log: Log,
  ) {
    this.pool = poolOf(dataSource);
    // The next query replaces an idle connection that the server closed; without a listener the event would end the process.
    this.pool.on('error', (err) => log.warn({ err }, 'an idle database connection was lost'));
    watchPool(this.pool);
  }

  /** Runs a statement, in `tx` when one is given, and returns its rows. */
  rows<T extends QueryResultRow>(statement: Statement, values: unknown[] = [], tx: Sql = this.pool): Promise<T[]> {
    return rows<T>(tx, statement, values);
  }

  /** `rows` for a read by key that may share a connection with others (docs/decisions/0030). */
  quickRows<T extends QueryResultRow>(statement: Statement, values: unknown[] = [], tx: Sql = this.pool): Promise<T[]> {
    return quickRows<T>(tx, statement, values);
  }

  /** BEGIN … COMMIT on one connection; ROLLBACK when `work` throws. `work` never waits for a network. */
  transaction<T>(work: (tx: PoolClient) => Promise<T>): Promise<T> {
    return inTransaction(this.pool, work);
  }

  /** A transaction that only reads, and whose statements all see the same state. */
  snapshot<T>(work: (tx: PoolClient) => Promise<T>): Promise<T> {
    return inTransaction(this.pool, work, 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  }

  /** A transaction whose statements do not depend on each other's rows, in one round trip. Returns the rows of the last statement. */
  transactionInOneWrite<T extends QueryResultRow>(queries: readonly Query[]): Promise<T[]> {
    return transactionInOneWrite<T>(this.pool, queries);
  }

  /** The same for work on entities: `tx.manager.getRepository(Entity)` and prepared statements run in one transaction. */
  entityTransaction<T>(work: (tx: EntityTransaction) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (manager) => {
      // The runner of a transaction holds its client; `connect` returns it.
      const client = (await manager.queryRunner!.connect()) as PoolClient;
      return work({ query: client.query.bind(client), manager });
    });
  }

  /** Whether every migration of this release has run. */
  async isMigrated(): Promise<boolean> {
    return (await pendingMigrations(this.pool)).length === 0;
  }

  /** Why the process cannot work now, as sentences for its health endpoint; empty when it can. */
  reasonsNotReady(): Promise<string[]> {
    return this.pool.query('SELECT 1').then(
      () => [],
      () => ['the database does not answer'],
    );
  }
}
