import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `ALTER TABLE sip_trunks ADD COLUMN register jsonb`,
  // The registrations to keep; few trunks have one.
  `CREATE INDEX sip_trunks_registered ON sip_trunks (id) WHERE active AND register IS NOT NULL`,
  // `contact_token`: the user part of the Contact, which only the carrier learns.
  `CREATE TABLE trunk_registrations (
    trunk_id integer PRIMARY KEY REFERENCES sip_trunks ON DELETE CASCADE,
    dialer uuid,
    lease_until timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
    contact_token uuid NOT NULL,
    refresh_requested_at timestamptz,
    state text NOT NULL DEFAULT 'unregistered' CHECK (state IN ('registering', 'registered', 'failed', 'unregistered')),
    sip_status integer,
    reason text,
    target text,
    contact text,
    expires_at timestamptz,
    retry_at timestamptz,
    changed_at timestamptz,
    updated_at timestamptz
  )`,
];

/** Registrations of trunks at their carriers. */
export class TrunkRegistrations1760005000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE trunk_registrations');
    await runner.query('ALTER TABLE sip_trunks DROP COLUMN register');
  }
}
