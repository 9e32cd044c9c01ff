import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Problems of the installation that a process detected, for `trunkline doctor` on any host. One row for each kind. */
export class OperatorNotices1760002500001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE operator_notices (
      name text PRIMARY KEY,
      noticed_at timestamptz NOT NULL DEFAULT now()
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operator_notices');
  }
}
