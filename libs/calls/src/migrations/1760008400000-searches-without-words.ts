import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '@app/database/indexes';

const NAME = 'call_events_without_words';
const EARLIER = 'call_events_unanswered';
const SEARCHES = `CONCURRENTLY IF NOT EXISTS %name ON call_events (call_id, seq)
      WHERE type = 'tool_call' AND data ->> 'name' = 'search_knowledge_base' AND `;

/**
 * The few searches without a passage that has a word of the question: with an embedder, a search nearly always finds something. In the
 * longest table: created concurrently, and therefore without a transaction.
 */
export class SearchesWithoutWords1760008400000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await dropUnfinishedIndex(runner, NAME);
    await runner.query(
      `CREATE INDEX ${SEARCHES.replace('%name', NAME)} data -> 'result' ? 'results'
         AND NOT jsonb_path_exists(data, '$.result.results[*] ? (!exists(@.matched) || @.matched != "meaning")')`,
    );
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${EARLIER}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropUnfinishedIndex(runner, EARLIER);
    await runner.query(`CREATE INDEX ${SEARCHES.replace('%name', EARLIER)} data -> 'result' -> 'results' = '[]'`);
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
  }
}
