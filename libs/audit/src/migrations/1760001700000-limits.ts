import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // No foreign key to accounts, because events outlive their account.
  `CREATE TABLE audit_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer,
    at timestamptz NOT NULL DEFAULT now(),
    actor_kind text NOT NULL CHECK (actor_kind IN ('token', 'cli', 'system')),
    actor_id text,
    action text NOT NULL,
    subject_kind text,
    subject_id text,
    details jsonb NOT NULL DEFAULT '{}',
    request_id text
  )`,
  `CREATE INDEX audit_events_list ON audit_events (account_id, at DESC, id DESC)`,
  `CREATE INDEX audit_events_action ON audit_events (account_id, action, at DESC, id DESC)`,
  `CREATE INDEX audit_events_actor ON audit_events (account_id, actor_kind, actor_id, at DESC, id DESC)`,
  `CREATE INDEX audit_events_subject ON audit_events (account_id, subject_kind, subject_id, at DESC, id DESC)`,
  `CREATE INDEX audit_events_age ON audit_events (at)`,

  // Events cannot be changed; only the retention deletes them.
  `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME;
    END $$`,
  `CREATE TRIGGER audit_events_stay BEFORE UPDATE ON audit_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,
];

const DOWN = [`DROP TABLE audit_events`, `DROP FUNCTION refuse_change`];

/** The audit log. */
export class Limits1760001700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
