import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = ['calls_search', 'calls_search_callers'];

/**
 * New calls wait in an unsorted list until there are 4 MB of them (40,000 calls), and every search reads that list from end to end. With
 * 256 KB, 2,500 calls, a search takes what it takes without one, and creating calls no longer.
 */
export class ShortPendingLists1760002300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const index of INDEXES) await runner.query(`ALTER INDEX ${index} SET (gin_pending_list_limit = 256)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const index of INDEXES) await runner.query(`ALTER INDEX ${index} RESET (gin_pending_list_limit)`);
  }
}
