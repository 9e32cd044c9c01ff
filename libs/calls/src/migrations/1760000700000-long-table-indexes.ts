import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '@app/database/indexes';

const INDEXES: Record<string, string> = {
  // The other party of an inbound call is `from_number`, which a search finds like `to_number` of outbound calls.
  calls_search_callers: `calls USING gin (account_id, from_number gin_trgm_ops) WHERE direction = 'inbound'`,
  // The live second legs, which every claim counts for their trunk.
  calls_transfer_live: `calls (account_id, transfer_trunk_id) WHERE transfer_trunk_id IS NOT NULL AND ended_at IS NULL`,
};

/** Indexes of the longest table, created concurrently because processes write to it, and therefore without a transaction. */
export class LongTableIndexes1760000700000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, on] of Object.entries(INDEXES)) {
      await dropUnfinishedIndex(runner, name);
      await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }
}
