import { CallsModule } from '@app/calls';
import type { INestApplicationContext } from '@nestjs/common';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from './database.js';
import { aCall, aWorkspace, type Workspace } from './factories.js';
import { openServices } from './services.js';

/** An account with calls of a live dialer, `alive`, and the services of calls, on a database of their own. */
export class DialledCalls {
  private constructor(
    readonly database: TestDatabase,
    readonly services: INestApplicationContext,
    readonly pool: Pool,
    readonly own: Workspace,
  ) {}

  static async open(): Promise<DialledCalls> {
    const database = await createTestDatabase();
    const services = await openServices({ DATABASE_URL: database.url, DATABASE_POOL: '4' }, [CallsModule]);
    const pool = new Pool({ connectionString: database.url, max: 4 });
    // The database is dropped while the server still reads our goodbye.
    pool.on('error', () => undefined);
    const own = await aWorkspace(pool);
    await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('alive', now() + interval '1 hour')`);
    return new DialledCalls(database, services, pool, own);
  }

  /** A call in progress. */
  add(row: Record<string, unknown>): Promise<string> {
    const now = new Date();
    return aCall(this.pool, this.own, {
      owner: 'alive',
      status: 'in_progress',
      started_at: now,
      answered_at: now,
      ...row,
    });
  }

  async endOf(id: string): Promise<unknown> {
    return (await this.pool.query('SELECT status, hangup_cause, owner FROM calls WHERE id = $1', [id])).rows[0];
  }

  async close(): Promise<void> {
    await this.services.close();
    await this.pool.end();
    await this.database.drop();
  }
}
