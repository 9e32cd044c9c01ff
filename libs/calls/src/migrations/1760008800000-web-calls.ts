import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // Checked for the existing rows by the next migration, which does not block calls.
  `ALTER TABLE calls ADD COLUMN channel text NOT NULL DEFAULT 'phone', ALTER COLUMN number_id DROP NOT NULL`,
  `ALTER TABLE calls ADD CONSTRAINT calls_channel_check CHECK (channel IN ('phone', 'web')) NOT VALID`,
  `ALTER TABLE analytics_calls ADD COLUMN channel text NOT NULL DEFAULT 'phone', ALTER COLUMN number_id DROP NOT NULL`,
  `ALTER TABLE dialers ADD COLUMN internal_address text`,

  // Revoked keys stay: their calls name them.
  `CREATE TABLE web_keys (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    name text NOT NULL,
    key text NOT NULL UNIQUE,
    origins text[] NOT NULL,
    calls_per_minute integer NOT NULL,
    concurrent_calls integer NOT NULL,
    daily_spend_micros bigint,
    max_seconds integer NOT NULL,
    variables_allowed text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    last_used_at timestamptz
  )`,
  `CREATE INDEX web_keys_of_account ON web_keys (account_id, id)`,
  `CREATE INDEX web_keys_of_agent ON web_keys (agent_id)`,
  `CREATE INDEX web_keys_origins ON web_keys USING gin (origins) WHERE revoked_at IS NULL`,

  `CREATE TABLE web_calls (
    call_id uuid PRIMARY KEY REFERENCES calls ON DELETE CASCADE,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    connected_at timestamptz,
    web_key_id integer REFERENCES web_keys ON DELETE SET NULL,
    origin text,
    max_seconds integer
  )`,
  `CREATE INDEX web_calls_of_key ON web_calls (web_key_id, created_at) WHERE web_key_id IS NOT NULL`,
];

/** Calls from web pages, with the keys that pages may create them with. */
export class WebCalls1760008800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE web_calls, web_keys');
    await runner.query('ALTER TABLE dialers DROP COLUMN internal_address');
    await runner.query(`DELETE FROM calls WHERE channel = 'web'`);
    await runner.query(`DELETE FROM analytics_calls WHERE channel = 'web'`);
    for (const table of ['calls', 'analytics_calls'])
      await runner.query(`ALTER TABLE ${table} DROP COLUMN channel, ALTER COLUMN number_id SET NOT NULL`);
  }
}
