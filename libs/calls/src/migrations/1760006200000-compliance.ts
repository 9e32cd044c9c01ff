import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `ALTER TABLE accounts ADD COLUMN contact_attempts_per_day integer CHECK (contact_attempts_per_day > 0),
    ADD COLUMN contact_attempts_per_week integer CHECK (contact_attempts_per_week > 0),
    ADD COLUMN contact_earliest text, ADD COLUMN contact_latest text, ADD COLUMN contact_time_zone text`,
  `ALTER TABLE agents ADD COLUMN do_not_call_tool boolean NOT NULL DEFAULT false`,
  // The collation lets the unique index answer searches for the beginning of a number.
  `CREATE TABLE do_not_call (
    id uuid PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    number text COLLATE "C" NOT NULL,
    is_prefix boolean NOT NULL DEFAULT false,
    reason text,
    source text NOT NULL CHECK (source IN ('api', 'agent', 'import', 'file')),
    call_id uuid,
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT do_not_call_number_key UNIQUE (account_id, number, is_prefix)
  )`,
  `CREATE INDEX do_not_call_list ON do_not_call (account_id, created_at, id)`,
  `CREATE INDEX do_not_call_by_source ON do_not_call (account_id, source, created_at, id)`,
  // Which state of the list a call was checked against.
  `CREATE TABLE do_not_call_lists (
    account_id integer PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    version bigint NOT NULL DEFAULT 0,
    changed_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE contact_attempts (
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    number text NOT NULL,
    call_id uuid NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (account_id, number, call_id)
  )`,
  `CREATE INDEX contact_attempts_by_time ON contact_attempts (at)`,
];

/** The do-not-call list and the contact limits of accounts. */
export class Compliance1760006200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE contact_attempts, do_not_call_lists, do_not_call');
    await runner.query('ALTER TABLE agents DROP COLUMN do_not_call_tool');
    await runner.query(`ALTER TABLE accounts DROP COLUMN contact_attempts_per_day, DROP COLUMN contact_attempts_per_week,
      DROP COLUMN contact_earliest, DROP COLUMN contact_latest, DROP COLUMN contact_time_zone`);
  }
}
