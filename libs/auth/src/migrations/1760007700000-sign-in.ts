import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // At most one row per account. Without an issuer, the account uses the issuer of the installation.
  `CREATE TABLE sign_in_settings (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    organisation text,
    issuer text,
    settings jsonb NOT NULL DEFAULT '{}',
    client_secret_sealed bytea,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT sign_in_settings_account_key UNIQUE (account_id),
    CONSTRAINT sign_in_settings_organisation_key UNIQUE (organisation)
  )`,
  `CREATE INDEX sign_in_settings_issuer ON sign_in_settings (issuer)`,
  // A person of an issuer in an account, as the audit log names them.
  `CREATE TABLE people (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text,
    name text,
    seen_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT people_subject_key UNIQUE (account_id, issuer, subject)
  )`,
  `CREATE INDEX people_email ON people (account_id, email)`,
  `CREATE INDEX people_seen ON people (seen_at)`,
  `CREATE TABLE sessions (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    person_id integer NOT NULL REFERENCES people ON DELETE CASCADE,
    token_hash bytea NOT NULL,
    role text NOT NULL,
    issuer text NOT NULL,
    issuer_session text,
    refresh_token_sealed bytea,
    id_token_sealed bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    used_at timestamptz NOT NULL DEFAULT now(),
    checked_at timestamptz NOT NULL DEFAULT now(),
    ends_at timestamptz NOT NULL,
    ended_at timestamptz,
    CONSTRAINT sessions_token_hash_key UNIQUE (token_hash)
  )`,
  `CREATE INDEX sessions_account ON sessions (account_id, id)`,
  `CREATE INDEX sessions_person ON sessions (person_id)`,
  `CREATE INDEX sessions_issuer_session ON sessions (issuer, issuer_session)`,
  `CREATE INDEX sessions_end ON sessions (ends_at)`,
  // Sign-ins between the start and the return of the browser.
  `CREATE TABLE sign_in_attempts (
    state_hash bytea PRIMARY KEY,
    browser_hash bytea NOT NULL,
    account_id integer REFERENCES accounts ON DELETE CASCADE,
    issuer text NOT NULL,
    nonce text NOT NULL,
    verifier text NOT NULL,
    place text NOT NULL,
    ends_at timestamptz NOT NULL
  )`,
  `CREATE INDEX sign_in_attempts_end ON sign_in_attempts (ends_at)`,
  `ALTER TABLE audit_events DROP CONSTRAINT audit_events_actor_kind_check`,
  // Not validated: the old constraint, which is narrower, held for every row.
  `ALTER TABLE audit_events ADD CONSTRAINT audit_events_actor_kind_check
    CHECK (actor_kind IN ('token', 'cli', 'system', 'person')) NOT VALID`,
];

/** Sign-in with OpenID Connect: settings of accounts, people, console sessions. */
export class SignIn1760007700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sign_in_attempts, sessions, people, sign_in_settings');
    await runner.query(`DELETE FROM audit_events WHERE actor_kind = 'person'`);
    await runner.query('ALTER TABLE audit_events DROP CONSTRAINT audit_events_actor_kind_check');
    await runner.query(`ALTER TABLE audit_events ADD CONSTRAINT audit_events_actor_kind_check
      CHECK (actor_kind IN ('token', 'cli', 'system'))`);
  }
}
