import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES: Record<string, string> = {
  // On an inbound call the other side is `from_number`: a search finds it as it finds `to_number` of the others.
  calls_search_callers: `calls USING gin (account_id, from_number gin_trgm_ops) WHERE direction = 'inbound'`,
  // The second legs that are on the line, which a trunk counts with every claim.
  calls_transfer_live: `calls (account_id, transfer_trunk_id) WHERE transfer_trunk_id IS NOT NULL AND ended_at IS NULL`,
};

/** Indexes of the longest table, made beside the processes that write to it: without a lock, and so without a transaction. */
export class LongTableIndexes1760000700000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, on] of Object.entries(INDEXES)) {
      await dropUnfinished(runner, name);
      await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }
}

/** What a process that was ended in the middle leaves behind has the name, and is never used. */
async function dropUnfinished(runner: QueryRunner, name: string): Promise<void> {
  const invalid = 'SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid';
  if (((await runner.query(invalid, [name])) as unknown[]).length === 0) return;
  await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
}
