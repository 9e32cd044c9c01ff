import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '../unfinished-index.js';

const TABLES = [
  // Days after which an account's data is deleted; null: kept until somebody deletes it. Deliveries were said to be kept 30 days.
  `ALTER TABLE accounts
    ADD COLUMN IF NOT EXISTS recordings_days integer CHECK (recordings_days > 0),
    ADD COLUMN IF NOT EXISTS transcripts_days integer CHECK (transcripts_days > 0),
    ADD COLUMN IF NOT EXISTS deliveries_days integer DEFAULT 30 CHECK (deliveries_days > 0),
    ADD COLUMN IF NOT EXISTS documents_days integer CHECK (documents_days > 0)`,
  // What is gone says so.
  `ALTER TABLE calls
    ADD COLUMN IF NOT EXISTS recording_deleted_at timestamptz,
    ADD COLUMN IF NOT EXISTS transcript_deleted_at timestamptz`,
  // Work that one of all workers does at a time, on the database's clock.
  `CREATE TABLE IF NOT EXISTS duties (
    name text PRIMARY KEY,
    owner text,
    until timestamptz NOT NULL DEFAULT 'epoch'
  )`,
  `INSERT INTO duties (name) VALUES ('retention') ON CONFLICT DO NOTHING`,
];

/** Made without a lock: their tables are written to all the time. */
const INDEXES: Record<string, string> = {
  // Recordings and transcripts that are still there, oldest first: what is deleted leaves the index.
  calls_recordings: 'calls (account_id, ended_at) WHERE recording_key IS NOT NULL',
  calls_transcripts: 'calls (account_id, ended_at) WHERE ended_at IS NOT NULL AND transcript_deleted_at IS NULL',
  knowledge_bases_age: 'knowledge_bases (account_id, updated_at)',
  // Empty but for what runs now, and for what died in the middle.
  tool_invocations_open: 'tool_invocations (started_at) WHERE ended_at IS NULL',
};

/** How long each account's data is kept, and what is looked at to see that nothing is left behind. */
export class Watch1760001800000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await runner.query(statement);
    for (const [name, on] of Object.entries(INDEXES)) {
      await dropUnfinishedIndex(runner, name);
      await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runner.query('DROP TABLE duties');
    await runner.query('ALTER TABLE calls DROP COLUMN recording_deleted_at, DROP COLUMN transcript_deleted_at');
    await runner.query(
      `ALTER TABLE accounts DROP COLUMN recordings_days, DROP COLUMN transcripts_days, DROP COLUMN deliveries_days,
         DROP COLUMN documents_days`,
    );
  }
}
