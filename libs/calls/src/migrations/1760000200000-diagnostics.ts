import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // The diagnostics of a leg; leg 2 is that of a transfer.
  `CREATE TABLE call_leg_reports (
    call_id uuid NOT NULL REFERENCES calls ON DELETE CASCADE,
    leg integer NOT NULL,
    direction text NOT NULL CHECK (direction IN ('inbound', 'outbound')),
    left_out integer NOT NULL DEFAULT 0,
    rtp jsonb,
    PRIMARY KEY (call_id, leg)
  )`,

  // bytea, because a peer may send any byte. Secrets are masked before a message is stored.
  `CREATE TABLE call_sip_messages (
    call_id uuid NOT NULL REFERENCES calls ON DELETE CASCADE,
    seq integer NOT NULL,
    leg integer NOT NULL,
    at timestamptz NOT NULL,
    direction text NOT NULL CHECK (direction IN ('in', 'out')),
    transport text NOT NULL,
    local_address text NOT NULL,
    local_port integer NOT NULL,
    remote_address text NOT NULL,
    remote_port integer NOT NULL,
    message bytea NOT NULL,
    retransmissions integer NOT NULL DEFAULT 0,
    repeated_at timestamptz[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (call_id, seq)
  )`,
];

export class Diagnostics1760000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE call_sip_messages');
    await runner.query('DROP TABLE call_leg_reports');
  }
}
