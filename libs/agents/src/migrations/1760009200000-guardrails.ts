import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rules about what is said, and the sentence that is spoken first. */
export class Guardrails1760009200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE agents ADD COLUMN guardrails jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN disclosure jsonb NOT NULL DEFAULT '[]'`);
    await runner.query('ALTER TABLE calls ADD COLUMN disclosure jsonb, ADD COLUMN guardrail_hits jsonb');
    await runner.query('ALTER TABLE campaigns ADD COLUMN require_disclosure boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaigns DROP COLUMN require_disclosure');
    await runner.query('ALTER TABLE calls DROP COLUMN guardrail_hits, DROP COLUMN disclosure');
    await runner.query('ALTER TABLE agents DROP COLUMN disclosure, DROP COLUMN guardrails');
  }
}
