import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The first span of a call (W3C Trace Context), the parent of the spans of dialers and webhook dispatchers. */
export class TraceParent1760002200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls ADD COLUMN IF NOT EXISTS trace_parent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN trace_parent');
  }
}
