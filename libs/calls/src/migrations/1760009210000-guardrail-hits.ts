import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '@app/database/indexes';

const INDEX = 'calls_with_guardrail_hits';

/** Analytics read the calls on which rules applied. CONCURRENTLY: calls go on during a deploy. */
export class GuardrailHits1760009210000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await dropUnfinishedIndex(runner, INDEX);
    await runner.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${INDEX} ON calls (account_id, created_at) WHERE guardrail_hits IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${INDEX}`);
  }
}
