import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { TableNote } from './backup-manifest.js';

/** Rows of one FETCH; passages and transcripts are the longest, tens of KB each. */
const BATCH = 500;
/** pgvector's vectors are a copy of those in the chunks; a worker creates them again. */
const DERIVED = ['migrations', 'knowledge_vectors'];

const TABLES = `SELECT c.relname AS name,
    (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
    (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attidentity <> '' LIMIT 1) AS identity
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname`;

/** Reads and writes whole tables of the schema `public`, independent of their columns. */
@Injectable()
export class BackupRepository {
  constructor(private readonly database: Database) {}

  /** Runs `work` on one snapshot of the database without a statement timeout: reading a large table takes longer than the service allows. */
  snapshot<T>(work: (tx: PoolClient) => Promise<T>): Promise<T> {
    return this.database.snapshot(async (tx) => {
      await tx.query('SET LOCAL statement_timeout = 0');
      return work(tx);
    });
  }

  /** The names, in the order in which the migrations ran. */
  async migrations(tx: Sql): Promise<string[]> {
    const found = await this.database.rows<{ name: string }>(
      { text: 'SELECT name FROM migrations ORDER BY id' },
      [],
      tx,
    );
    return found.map(({ name }) => name);
  }

  async tables(tx: Sql): Promise<Omit<TableNote, 'rows'>[]> {
    const found = await this.database.rows<Omit<TableNote, 'rows'> & Record<string, unknown>>({ text: TABLES }, [], tx);
    return found.filter(({ name }) => !DERIVED.includes(name));
  }

  /** Yields the rows as lines of JSON, up to 500 at once. */
  async *lines(table: string, tx: Sql): AsyncGenerator<string[]> {
    await tx.query(`DECLARE backup NO SCROLL CURSOR FOR SELECT to_jsonb(t)::text AS line FROM "${table}" t`);
    for (;;) {
      const found = await this.database.rows<{ line: string }>({ text: `FETCH ${BATCH} FROM backup` }, [], tx);
      if (found.length > 0) yield found.map(({ line }) => line);
      if (found.length < BATCH) break;
    }
    await tx.query('CLOSE backup');
  }

  async isEmpty(): Promise<boolean> {
    const text = `SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`;
    return (await this.database.rows({ text })).length === 0;
  }

  /** Runs `work`, which replaces the rows of all tables, in one transaction without triggers, immediate foreign keys and a timeout. */
  replaceAll(work: (tx: Sql) => Promise<void>): Promise<void> {
    return this.database.transaction(async (tx) => {
      await tx.query('SET LOCAL statement_timeout = 0');
      await this.withoutTriggers(tx, () => this.withDeferredReferences(tx, () => work(tx)));
    });
  }

  async clear(table: string, tx: Sql): Promise<void> {
    await tx.query(`DELETE FROM "${table}"`);
  }

  /** @returns how many rows were inserted */
  async insert({ name, columns }: TableNote, lines: readonly string[], tx: Sql): Promise<number> {
    const list = columns.map((column) => `"${column}"`).join(', ');
    const text = `INSERT INTO "${name}" (${list}) OVERRIDING SYSTEM VALUE
      SELECT ${list} FROM json_populate_recordset(NULL::"${name}", $1::json)`;
    return (await tx.query(text, [`[${lines.join(',')}]`])).rowCount ?? 0;
  }

  /** Sets the sequence to the highest stored identity. */
  async continueIdentity(table: string, column: string, tx: Sql): Promise<void> {
    await tx.query(
      `SELECT setval(pg_get_serial_sequence('"${table}"', '${column}'), coalesce(max("${column}"), 1), max("${column}") IS NOT NULL)
         FROM "${table}"`,
    );
  }

  /** Agents refer to numbers and numbers to agents, so foreign keys are checked after all rows are inserted. */
  private async withDeferredReferences(tx: Sql, work: () => Promise<void>): Promise<void> {
    const text = `SELECT conrelid::regclass::text AS table, conname AS name FROM pg_constraint
      WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT condeferrable`;
    const references = await this.database.rows<{ table: string; name: string }>({ text }, [], tx);
    const alter = async (how: string): Promise<void> => {
      for (const { table, name } of references)
        await tx.query(`ALTER TABLE ${table} ALTER CONSTRAINT "${name}" ${how}`);
    };
    await alter('DEFERRABLE INITIALLY DEFERRED');
    await work();
    await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
    await alter('NOT DEFERRABLE');
  }

  /** The backup contains the values that triggers derive (the storage that accounts use): triggers would count them twice. */
  private async withoutTriggers(tx: Sql, work: () => Promise<void>): Promise<void> {
    const text = `SELECT DISTINCT tgrelid::regclass::text AS table FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
      WHERE relnamespace = 'public'::regnamespace AND NOT tgisinternal`;
    const tables = await this.database.rows<{ table: string }>({ text }, [], tx);
    const alter = async (how: 'DISABLE' | 'ENABLE'): Promise<void> => {
      for (const { table } of tables) await tx.query(`ALTER TABLE ${table} ${how} TRIGGER USER`);
    };
    await alter('DISABLE');
    await work();
    await alter('ENABLE');
  }
}
