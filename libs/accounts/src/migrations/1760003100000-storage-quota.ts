import type { MigrationInterface, QueryRunner } from 'typeorm';

/** 50 GiB. */
const DEFAULT_BYTES = 53_687_091_200;

/** The tables with stored files, and the columns with their size in bytes. */
const SIZES = { calls: 'recording_bytes', knowledge_bases: 'file_size' } as const;

const STATEMENTS = [
  // Existing accounts have no limit until an operator sets one, because an upgrade must not stop recordings.
  'ALTER TABLE accounts ADD COLUMN storage_bytes bigint CHECK (storage_bytes >= 0)',
  `ALTER TABLE accounts ALTER COLUMN storage_bytes SET DEFAULT ${DEFAULT_BYTES}`,

  // counted_at: the last recount of the files by a worker; null: none.
  `CREATE TABLE account_storage (
    account_id integer PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    bytes bigint NOT NULL DEFAULT 0,
    counted_at timestamptz
  )`,

  // A row is created only for an increase: a decrease may come from an account that is being deleted.
  `CREATE FUNCTION add_account_storage(account integer, added bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF added > 0 THEN
        INSERT INTO account_storage (account_id, bytes) VALUES (account, added)
          ON CONFLICT (account_id) DO UPDATE SET bytes = account_storage.bytes + excluded.bytes;
      ELSIF added < 0 THEN
        UPDATE account_storage SET bytes = bytes + added WHERE account_id = account;
      END IF;
    END $$`,
  ...Object.entries(SIZES).flatMap(([table, column]) => countFilesOf(table, column)),
];

/**
 * Deferred, so that the row of the account is locked last and only until the commit: transactions cannot deadlock, and the end of one
 * call does not delay that of another.
 */
function countFilesOf(table: string, column: string): string[] {
  const trigger = (suffix: string, event: string, condition: string) =>
    `CREATE CONSTRAINT TRIGGER ${table}_storage_${suffix} AFTER ${event} ON ${table} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION count_${table}_storage()`;
  return [
    `CREATE FUNCTION count_${table}_storage() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN PERFORM add_account_storage(NEW.account_id, NEW.${column});
        ELSIF TG_OP = 'DELETE' THEN PERFORM add_account_storage(OLD.account_id, -OLD.${column});
        ELSE PERFORM add_account_storage(NEW.account_id, coalesce(NEW.${column}, 0) - coalesce(OLD.${column}, 0));
        END IF;
        RETURN NULL;
      END $$`,
    trigger('added', 'INSERT', `NEW.${column} IS NOT NULL`),
    trigger('changed', `UPDATE OF ${column}`, `OLD.${column} IS DISTINCT FROM NEW.${column}`),
    trigger('removed', 'DELETE', `OLD.${column} IS NOT NULL`),
  ];
}

/** The storage limit of an account and its usage, which triggers count in every transaction that adds or removes a file. */
export class StorageQuota1760003100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(SIZES)) {
      await runner.query(`DROP FUNCTION count_${table}_storage() CASCADE`);
    }
    await runner.query('DROP FUNCTION add_account_storage(integer, bigint)');
    await runner.query('DROP TABLE account_storage');
    await runner.query('ALTER TABLE accounts DROP COLUMN storage_bytes');
  }
}
