import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // `targets` is null for a trunk with one host; otherwise host, port and transport repeat the first target, which processes of the
  // previous release dial.
  `ALTER TABLE sip_trunks
    ADD COLUMN targets jsonb,
    ADD COLUMN tls_ca text,
    ADD COLUMN tls_cert text,
    ADD COLUMN tls_key_sealed bytea,
    ADD COLUMN tls_server_name text,
    ADD COLUMN assert_identity boolean NOT NULL DEFAULT false,
    ADD COLUMN user_phone boolean NOT NULL DEFAULT true,
    ADD COLUMN headers jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN codecs text[],
    ADD COLUMN srtp text NOT NULL DEFAULT 'off' CHECK (srtp IN ('off', 'optional', 'required')),
    ADD COLUMN transfer text NOT NULL DEFAULT 'bridge' CHECK (transfer IN ('bridge', 'refer')),
    ADD COLUMN options_ping_seconds integer NOT NULL DEFAULT 60 CHECK (options_ping_seconds >= 0),
    DROP CONSTRAINT sip_trunks_transport_check,
    ADD CONSTRAINT sip_trunks_transport_check CHECK (transport IN ('udp', 'tcp', 'tls'))`,

  // Results of the OPTIONS requests of dialers. due_at: time of the next request; during a request the time at which its dialer is lost.
  `CREATE TABLE trunk_health (
    trunk_id integer PRIMARY KEY REFERENCES sip_trunks ON DELETE CASCADE,
    due_at timestamptz NOT NULL DEFAULT 'epoch',
    state text NOT NULL DEFAULT 'unknown' CHECK (state IN ('up', 'down', 'unknown')),
    reason text,
    changed_at timestamptz,
    checked_at timestamptz,
    targets jsonb NOT NULL DEFAULT '[]'
  )`,
];

const DOWN = [
  `DROP TABLE trunk_health`,
  `UPDATE sip_trunks SET transport = 'tcp' WHERE transport = 'tls'`,
  `ALTER TABLE sip_trunks
    DROP COLUMN targets, DROP COLUMN tls_ca, DROP COLUMN tls_cert, DROP COLUMN tls_key_sealed, DROP COLUMN tls_server_name,
    DROP COLUMN assert_identity, DROP COLUMN user_phone, DROP COLUMN headers, DROP COLUMN codecs, DROP COLUMN srtp,
    DROP COLUMN transfer, DROP COLUMN options_ping_seconds,
    DROP CONSTRAINT sip_trunks_transport_check,
    ADD CONSTRAINT sip_trunks_transport_check CHECK (transport IN ('udp', 'tcp'))`,
];

export class Trunks1760000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
