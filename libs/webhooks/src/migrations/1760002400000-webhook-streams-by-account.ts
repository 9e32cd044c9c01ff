import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '@app/database/indexes';

const NAME = 'webhook_streams_due_by_account';

/** Finds the due streams of each account without reading past the backlog of another one. Created without a lock on writers. */
export class WebhookStreamsByAccount1760002400000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await dropUnfinishedIndex(runner, NAME);
    await runner.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${NAME} ON webhook_streams (account_id, next_at) WHERE next_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
  }
}
