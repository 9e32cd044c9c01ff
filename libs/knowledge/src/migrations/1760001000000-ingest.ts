import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // The number of workers that crashed while they processed the document; after three it fails.
  `ALTER TABLE knowledge_bases ADD COLUMN lost_leases smallint NOT NULL DEFAULT 0`,
  // Claims take the oldest document of each account in turn, without reading all uploads of one account.
  `CREATE INDEX knowledge_bases_waiting ON knowledge_bases (account_id, next_attempt_at, id) WHERE status = 'pending'`,
  `DROP INDEX knowledge_bases_due`,
];

/** Columns with which workers share their time between accounts and fail a document that crashes them. */
export class Ingest1760001000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX knowledge_bases_due ON knowledge_bases (next_attempt_at, id) WHERE status = 'pending'`,
    );
    await runner.query('DROP INDEX knowledge_bases_waiting');
    await runner.query('ALTER TABLE knowledge_bases DROP COLUMN lost_leases');
  }
}
