import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // Past calls keep the ids, names and numbers of deleted records. Changes the catalog only; no row of the long table is read.
  'ALTER TABLE calls DROP CONSTRAINT IF EXISTS calls_number_id_fkey',
  'ALTER TABLE calls DROP CONSTRAINT IF EXISTS calls_trunk_id_fkey',
  'ALTER TABLE calls DROP CONSTRAINT IF EXISTS calls_transfer_trunk_id_fkey',
  'ALTER TABLE phone_numbers ADD COLUMN assigned_by_operator boolean NOT NULL DEFAULT true',
  'ALTER TABLE trunk_health ADD COLUMN test_requested_at timestamptz',
];

const DOWN = [
  'ALTER TABLE trunk_health DROP COLUMN test_requested_at',
  'ALTER TABLE phone_numbers DROP COLUMN assigned_by_operator',
  'ALTER TABLE calls ADD CONSTRAINT calls_transfer_trunk_id_fkey FOREIGN KEY (transfer_trunk_id) REFERENCES sip_trunks NOT VALID',
  'ALTER TABLE calls ADD CONSTRAINT calls_trunk_id_fkey FOREIGN KEY (trunk_id) REFERENCES sip_trunks NOT VALID',
  'ALTER TABLE calls ADD CONSTRAINT calls_number_id_fkey FOREIGN KEY (number_id) REFERENCES phone_numbers NOT VALID',
];

/** Numbers and trunks that the API creates, tests and deletes. */
export class NumbersTrunks1760004100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
