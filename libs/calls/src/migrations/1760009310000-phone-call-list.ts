import { dropUnfinishedIndex } from '@app/database/indexes';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'calls_list_phone';

/** The list of calls over the phone, which is the default: beside many web calls it would read those, too. */
export class PhoneCallList1760009310000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await dropUnfinishedIndex(runner, NAME);
    await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${NAME} ON calls (account_id, created_at DESC, id DESC)
      WHERE channel = 'phone'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
  }
}
