import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // Workers that died with the document in their hands: after three of them it is the document.
  `ALTER TABLE knowledge_bases ADD COLUMN lost_leases smallint NOT NULL DEFAULT 0`,
  // Claims go from account to account, to the eldest of each: one tenant's thousand uploads are never read through.
  `CREATE INDEX knowledge_bases_waiting ON knowledge_bases (account_id, next_attempt_at, id) WHERE status = 'pending'`,
  `DROP INDEX knowledge_bases_due`,
];

/** What workers need to share documents among accounts and to give up on one that kills them. */
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
