import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '@app/database/indexes';

const NAME = 'call_events_unanswered';

/** The few searches that found nothing, in the longest table: created concurrently, and therefore without a transaction. */
export class UnansweredSearches1760008300000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await dropUnfinishedIndex(runner, NAME);
    await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${NAME} ON call_events (call_id, seq)
      WHERE type = 'tool_call' AND data ->> 'name' = 'search_knowledge_base' AND data -> 'result' -> 'results' = '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
  }
}
