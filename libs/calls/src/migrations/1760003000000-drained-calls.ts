import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '@app/database/indexes';

const NAME = 'calls_drained';

/** Calls that the stop of their dialer ended: few rows, and every worker counts the latest ones four times a minute. */
export class DrainedCalls1760003000000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await dropUnfinishedIndex(runner, NAME);
    await runner.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${NAME} ON calls (ended_at) WHERE hangup_cause = 'drained'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
  }
}
