import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '../indexes/unfinished-index.js';

const TABLES = [
  // Days after which data of an account is deleted; null: never. The documentation promised 30 days for deliveries.
  `ALTER TABLE accounts
    ADD COLUMN IF NOT EXISTS recordings_days integer CHECK (recordings_days > 0),
    ADD COLUMN IF NOT EXISTS transcripts_days integer CHECK (transcripts_days > 0),
    ADD COLUMN IF NOT EXISTS deliveries_days integer DEFAULT 30 CHECK (deliveries_days > 0),
    ADD COLUMN IF NOT EXISTS documents_days integer CHECK (documents_days > 0)`,
  // The time of the deletion.
  `ALTER TABLE calls
    ADD COLUMN IF NOT EXISTS recording_deleted_at timestamptz,
    ADD COLUMN IF NOT EXISTS transcript_deleted_at timestamptz`,
  // Work that only one worker does at a time, by the clock of the database.
  `CREATE TABLE IF NOT EXISTS duties (
    name text PRIMARY KEY,
    owner text,
    until timestamptz NOT NULL DEFAULT 'epoch'
  )`,
  `INSERT INTO duties (name) VALUES ('retention') ON CONFLICT DO NOTHING`,
];

/** Created concurrently, because processes write to these tables. */
const INDEXES: Record<string, string> = {
  // Existing recordings and transcripts, oldest first: deleted ones leave the index.
  calls_recordings: 'calls (account_id, ended_at) WHERE recording_key IS NOT NULL',
  calls_transcripts: 'calls (account_id, ended_at) WHERE ended_at IS NOT NULL AND transcript_deleted_at IS NULL',
  knowledge_bases_age: 'knowledge_bases (account_id, updated_at)',
  // Contains only running invocations, and those of crashed processes.
  tool_invocations_open: 'tool_invocations (started_at) WHERE ended_at IS NULL',
};

/** The retention of each account, and the indexes that find data to delete. */
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
