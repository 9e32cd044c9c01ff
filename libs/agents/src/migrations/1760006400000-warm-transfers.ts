import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How agents transfer calls. Processes of the earlier release leave the column out: their transfers are cold, to one number. */
export class WarmTransfers1760006400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE agents ADD COLUMN transfer_options jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE agents DROP COLUMN transfer_options');
  }
}
