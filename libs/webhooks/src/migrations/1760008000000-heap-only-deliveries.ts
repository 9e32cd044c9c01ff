import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '@app/database/indexes';

const RARE = `state IN ('slow', 'dead', 'refused')`;
const PER_CHUNK = 10_000;

/*
 * An update writes no index entries (it is heap-only) when no column of any index changes, those of its predicate included, and the page
 * has room. A delivery changes its state once or twice in its life: an index with `state` made each of these updates write to all seven
 * indexes. `rare_state` does not change when a delivery is delivered at its first attempts.
 */
const STATEMENTS = [
  'ALTER TABLE webhook_deliveries ADD COLUMN IF NOT EXISTS rare_state text',
  // A trigger, because processes of the previous release change states as well.
  `CREATE OR REPLACE FUNCTION set_rare_state() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.rare_state := CASE WHEN NEW.${RARE} THEN NEW.state END;
      RETURN NEW;
    END $$`,
  `CREATE OR REPLACE TRIGGER webhook_deliveries_rare_insert BEFORE INSERT ON webhook_deliveries FOR EACH ROW
    WHEN (NEW.${RARE}) EXECUTE FUNCTION set_rare_state()`,
  `CREATE OR REPLACE TRIGGER webhook_deliveries_rare_update BEFORE UPDATE OF state ON webhook_deliveries FOR EACH ROW
    WHEN (NEW.${RARE} OR NEW.rare_state IS NOT NULL) EXECUTE FUNCTION set_rare_state()`,
  // Deletes the attempts of deleted deliveries instead of a foreign key, which looked up the delivery of every attempt (a seventh of the
  // time in which PostgreSQL stores an outcome). An attempt is stored under a lock of its delivery, so that none is left behind. The
  // array makes the planner use the index, however many deliveries were deleted when it planned first.
  `CREATE OR REPLACE FUNCTION delete_webhook_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM webhook_attempts WHERE delivery_id = ANY (ARRAY(SELECT id FROM deleted));
      RETURN NULL;
    END $$`,
  `CREATE OR REPLACE TRIGGER webhook_deliveries_deleted AFTER DELETE ON webhook_deliveries REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION delete_webhook_attempts()`,
  'ALTER TABLE webhook_attempts DROP CONSTRAINT IF EXISTS webhook_attempts_delivery_id_fkey',
  // The stream of a delivery has them, itself or by its call, its invocation or its campaign, and is deleted with them.
  `ALTER TABLE webhook_deliveries DROP CONSTRAINT IF EXISTS webhook_deliveries_account_id_fkey,
    DROP CONSTRAINT IF EXISTS webhook_deliveries_call_id_fkey`,
  // Room for one more version of the rows of a page; the next update reuses the space of the old ones.
  'ALTER TABLE webhook_deliveries SET (fillfactor = 75)',
];

/** Rows that another transaction has locked are left to the trigger: only changes of the state lock them. */
const FILL = `WITH chunk AS (SELECT id FROM webhook_deliveries WHERE id > $1 ORDER BY id LIMIT ${PER_CHUNK}),
    rare AS (
      SELECT d.id FROM webhook_deliveries d JOIN chunk USING (id) WHERE d.${RARE} AND d.rare_state IS NULL
         FOR NO KEY UPDATE OF d SKIP LOCKED),
    filled AS (UPDATE webhook_deliveries d SET rare_state = d.state FROM rare WHERE d.id = rare.id)
    SELECT id AS last FROM chunk ORDER BY id DESC LIMIT 1`;

const INDEX = 'webhook_deliveries_rare_states';
const ON = `webhook_deliveries (account_id, rare_state, created_at DESC, id DESC) WHERE rare_state IS NOT NULL`;
/** `webhook_deliveries_stream` finds the open deliveries of a stream, the primary key of `webhook_attempts` the oldest attempts. */
const REPLACED = ['webhook_deliveries_undelivered', 'webhook_deliveries_open', 'webhook_attempts_age'];

const FOREIGN_KEYS = [
  `ALTER TABLE webhook_attempts ADD FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries ON DELETE CASCADE`,
  `ALTER TABLE webhook_deliveries ADD FOREIGN KEY (account_id) REFERENCES accounts ON DELETE CASCADE,
    ADD FOREIGN KEY (call_id) REFERENCES calls ON DELETE CASCADE`,
];

/** Deliveries whose state is in no index, and with fewer checks when deliveries and attempts are stored. */
export class HeapOnlyDeliveries1760008000000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
    let last: string | undefined = '00000000-0000-0000-0000-000000000000';
    while (last) last = ((await runner.query(FILL, [last])) as { last: string }[])[0]?.last;
    await dropUnfinishedIndex(runner, INDEX);
    await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${INDEX} ON ${ON}`);
    for (const name of REPLACED) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX CONCURRENTLY webhook_deliveries_undelivered ON webhook_deliveries (account_id, state, created_at DESC, id DESC)
        WHERE state <> 'delivered'`,
    );
    await runner.query(
      `CREATE INDEX CONCURRENTLY webhook_deliveries_open ON webhook_deliveries (stream_id, sequence) WHERE state IN ('pending', 'slow')`,
    );
    await runner.query('CREATE INDEX CONCURRENTLY webhook_attempts_age ON webhook_attempts (at)');
    await runner.query('DROP FUNCTION set_rare_state, delete_webhook_attempts CASCADE');
    await runner.query('ALTER TABLE webhook_deliveries RESET (fillfactor)');
    await runner.query('ALTER TABLE webhook_deliveries DROP COLUMN rare_state');
    for (const statement of FOREIGN_KEYS) await runner.query(statement);
  }
}
