import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '../unfinished-index.js';

const NEWEST_FIRST = (time: string): string => `${time} DESC, id DESC`;

/*
 * What is rare is found by an index; what is frequent (a call-status on its way to `delivered`) by walking the list, which meets it
 * soon. So the one row of most webhooks is in one index more while it is pending, and in none when it is delivered: with four full
 * indexes an insert and an update took 80 µs more, a quarter of what a delivery takes.
 */
const INDEXES: Record<string, string> = {
  webhook_deliveries_undelivered: `webhook_deliveries (account_id, state, ${NEWEST_FIRST('created_at')}) WHERE state <> 'delivered'`,
  webhook_deliveries_rare_events: `webhook_deliveries (account_id, event, ${NEWEST_FIRST('created_at')})
    WHERE event NOT IN ('initiated', 'ringing', 'in-progress', 'completed')`,
  tool_invocations_list: `tool_invocations (account_id, ${NEWEST_FIRST('started_at')})`,
  tool_invocations_list_tool: `tool_invocations (account_id, tool_id, ${NEWEST_FIRST('started_at')})`,
  tool_invocations_list_ok: `tool_invocations (account_id, ok, ${NEWEST_FIRST('started_at')})`,
};

/** Lists of deliveries and of tool invocations, and when a delivery was replayed last. */
export class DeliveryLists1760001600000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_deliveries ADD COLUMN IF NOT EXISTS replayed_at timestamptz');
    for (const [name, on] of Object.entries(INDEXES)) {
      await dropUnfinishedIndex(runner, name);
      await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runner.query('ALTER TABLE webhook_deliveries DROP COLUMN replayed_at');
  }
}
