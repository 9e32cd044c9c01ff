import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // The agent that answers calls to the number; null: they are not answered.
  `ALTER TABLE phone_numbers ADD COLUMN agent_id integer REFERENCES agents ON DELETE SET NULL`,
  `ALTER TABLE sip_trunks
    ADD COLUMN inbound_enabled boolean NOT NULL DEFAULT false,
    ADD COLUMN inbound_addresses text[] NOT NULL DEFAULT '{}',
    ADD COLUMN inbound_username text,
    ADD COLUMN inbound_password_sealed bytea`,
  // The trunks that accept inbound calls, which every dialer reads every few seconds.
  `CREATE INDEX sip_trunks_inbound ON sip_trunks (id) WHERE active AND inbound_enabled`,
];

const DOWN = [
  `ALTER TABLE sip_trunks DROP COLUMN inbound_enabled, DROP COLUMN inbound_addresses, DROP COLUMN inbound_username,
    DROP COLUMN inbound_password_sealed`,
  `ALTER TABLE phone_numbers DROP COLUMN agent_id`,
];

export class Inbound1760000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
