import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // Null: started by a release without it.
  `ALTER TABLE sessions ADD COLUMN grounds jsonb`,
  `ALTER TABLE sign_in_attempts ADD COLUMN address text`,
  // Small tables: an attempt lives for ten minutes.
  `CREATE INDEX sign_in_attempts_account ON sign_in_attempts (account_id, ends_at)`,
  `CREATE INDEX sign_in_attempts_address ON sign_in_attempts (address, ends_at)`,
];

/** What the role of a session rests on, and where a sign-in was started. */
export class SignInBounds1760008220000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX sign_in_attempts_account, sign_in_attempts_address');
    await runner.query('ALTER TABLE sign_in_attempts DROP COLUMN address');
    await runner.query('ALTER TABLE sessions DROP COLUMN grounds');
  }
}
