import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Variables of agents and their values in calls, and the pre-call webhook. Processes of the earlier release leave the columns out:
 * agents without declarations, and calls without values, are as before.
 */
export class CallVariables1760004200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE agents ADD COLUMN variables jsonb NOT NULL DEFAULT '[]', ADD COLUMN timezone text, ADD COLUMN pre_call_webhook jsonb`,
    );
    await runner.query('ALTER TABLE calls ADD COLUMN variables jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN variables');
    await runner.query('ALTER TABLE agents DROP COLUMN variables, DROP COLUMN timezone, DROP COLUMN pre_call_webhook');
  }
}
