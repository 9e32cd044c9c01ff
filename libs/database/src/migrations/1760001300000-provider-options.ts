import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How an agent uses its provider: model, voice, and who takes over. A constant default is added without rewriting the table. */
export class ProviderOptions1760001300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE agents ADD COLUMN provider_options jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE agents DROP COLUMN provider_options`);
  }
}
