import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // The result of a background tool that its endpoint reports. `behaviour` as it was at the invocation.
  `CREATE TABLE tool_callbacks (
    invocation_id uuid PRIMARY KEY REFERENCES tool_invocations ON DELETE CASCADE,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    token_hash bytea NOT NULL CONSTRAINT tool_callbacks_token UNIQUE,
    behaviour json NOT NULL,
    notes json NOT NULL DEFAULT '[]',
    expires_at timestamptz NOT NULL,
    ended_at timestamptz
  )`,
  `CREATE INDEX tool_callbacks_account ON tool_callbacks (account_id)`,
  `CREATE INDEX tool_callbacks_open ON tool_callbacks (expires_at) WHERE ended_at IS NULL`,
];

/** Results that arrive after the conversation has gone on. */
export class ToolCallbacks1760009110000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tool_callbacks');
  }
}
