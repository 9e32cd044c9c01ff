import type { QueryRunner } from 'typeorm';

/** Drops the invalid index that a process leaves when it ends during CREATE INDEX CONCURRENTLY: it blocks the name and is never used. */
export async function dropUnfinishedIndex(runner: QueryRunner, name: string): Promise<void> {
  const invalid = 'SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid';
  if (((await runner.query(invalid, [name])) as unknown[]).length === 0) return;
  await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
}
