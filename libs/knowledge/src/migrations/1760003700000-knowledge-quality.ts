import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the text of a knowledge base looks garbled; null: not processed since. */
export class KnowledgeQuality1760003700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE knowledge_bases ADD COLUMN quality text, ADD COLUMN quality_reason text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE knowledge_bases DROP COLUMN quality, DROP COLUMN quality_reason');
  }
}
