import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // What became of each transfer of the call, oldest first; a call has few.
  `ALTER TABLE calls ADD COLUMN transfers jsonb NOT NULL DEFAULT '[]'`,
  // The second leg that is on the line now takes a place on its trunk, too.
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
