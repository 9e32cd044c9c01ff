import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The language of a knowledge base; null: unknown. Existing ones get it with their next generation. */
export class KnowledgeLanguage1760003250000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE knowledge_bases ADD COLUMN language text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE knowledge_bases DROP COLUMN language');
  }
}
