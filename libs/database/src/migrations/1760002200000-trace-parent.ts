import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The span that a call began with (W3C Trace Context), for the spans of those who dial it and deliver its webhooks. */
export class TraceParent1760002200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls ADD COLUMN IF NOT EXISTS trace_parent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN trace_parent');
  }
}
