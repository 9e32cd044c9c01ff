import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Provider options of an agent: model, voice and fallback. A constant default is added without rewriting the table. */
export class ProviderOptions1760001300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE agents ADD COLUMN provider_options jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE agents DROP COLUMN provider_options`);
  }
}
