import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // The outcomes of the transfers of the call, oldest first.
  `ALTER TABLE calls ADD COLUMN transfers jsonb NOT NULL DEFAULT '[]'`,
  // The live second leg counts for the limit of its trunk too.
  `ALTER TABLE calls ADD COLUMN transfer_trunk_id integer REFERENCES sip_trunks`,
];

export class Transfers1760000500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN transfer_trunk_id, DROP COLUMN transfers');
  }
}
