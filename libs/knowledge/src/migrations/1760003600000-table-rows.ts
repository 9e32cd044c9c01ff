import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Marks the chunks of a table, which are single rows from now on. Both columns stay null in the chunks of earlier versions, whose
 * tables share chunks of several rows until their knowledge base is processed again.
 */
export class TableRows1760003600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE knowledge_chunks ADD COLUMN table_number integer, ADD COLUMN header_length integer',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE knowledge_chunks DROP COLUMN table_number, DROP COLUMN header_length');
  }
}
