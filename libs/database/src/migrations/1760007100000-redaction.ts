import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `ALTER TABLE accounts ADD COLUMN redaction jsonb`,
  `ALTER TABLE agents ADD COLUMN redaction jsonb`,
  // What is sent, encrypted, where the readable columns are redacted. Empty from the delivery on.
  `ALTER TABLE webhook_deliveries ADD COLUMN request_sealed bytea`,
  // The same of a command that is not executed yet.
  `ALTER TABLE call_commands ADD COLUMN input_sealed bytea`,
];

/** Redaction of secrets, for accounts and agents. */
export class Redaction1760007100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE call_commands DROP COLUMN input_sealed');
    await runner.query('ALTER TABLE webhook_deliveries DROP COLUMN request_sealed');
    await runner.query('ALTER TABLE agents DROP COLUMN redaction');
    await runner.query('ALTER TABLE accounts DROP COLUMN redaction');
  }
}
