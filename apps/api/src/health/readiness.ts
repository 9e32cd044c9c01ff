import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

const PING_MS = 2_000;

/** Whether requests may be sent here. */
export class Readiness {
  private stopping = false;
  private migrated = false;

  constructor(
    private readonly pool: Pool,
    private readonly dataSource: DataSource,
  ) {}

  /** From now on the answer is no, while requests under way are finished. */
  stop(): void {
    this.stopping = true;
  }

  /** Reasons why not; none: ready. */
  async reasons(): Promise<string[]> {
    if (this.stopping) return ['the process is shutting down'];
    return within(PING_MS, this.databaseReasons(), ['the database does not answer']);
  }

  private async databaseReasons(): Promise<string[]> {
    try {
      if (this.migrated) {
        await this.pool.query('SELECT 1');
        return [];
      }
      this.migrated = await this.hasEveryMigration();
      return this.migrated ? [] : ['the database is not migrated to this release'];
    } catch {
      return ['the database does not answer'];
    }
  }

  private async hasEveryMigration(): Promise<boolean> {
    const table = await this.pool.query<{ found: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AS found`);
    if (!table.rows[0]?.found) return false;
    const done = await this.pool.query<{ name: string }>('SELECT name FROM migrations');
    const names = new Set(done.rows.map((row) => row.name));
    return this.dataSource.migrations.every((migration) => names.has(migration.name ?? migration.constructor.name));
  }
}

/** What `work` gives, or `late` when it takes longer than `ms`. */
async function within<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
