import { v7 as newId } from 'uuid';
import type { Pool } from 'pg';
import { KEY_OF_AGENT } from './account-ids.js';

interface Reference {
  from: string;
  columns: string[];
  to: string;
  to_columns: string[];
}

interface Column {
  table_name: string;
  column_name: string;
  data_type: string;
  check: string | null;
}

const REFERENCES = `
  SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to,
         ARRAY(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY k(n, i)
               JOIN pg_attribute ON attrelid = conrelid AND attnum = n ORDER BY i) AS columns,
         ARRAY(SELECT attname::text FROM unnest(confkey) WITH ORDINALITY k(n, i)
               JOIN pg_attribute ON attrelid = confrelid AND attnum = n ORDER BY i) AS to_columns
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> confrelid`;

/** The required columns of an INSERT, with the values that a CHECK allows. */
const NEEDED = `
  SELECT table_name, column_name, data_type,
         (SELECT (regexp_match(pg_get_constraintdef(oid), $$ANY \\(\\(?ARRAY\\['([^']+)'::text$$))[1] FROM pg_constraint
          WHERE contype = 'c' AND conrelid = format('%I', table_name)::regclass
            AND pg_get_constraintdef(oid) LIKE '%(' || column_name || ' = ANY%' LIMIT 1) AS check
  FROM information_schema.columns
  WHERE table_schema = 'public' AND is_nullable = 'NO' AND column_default IS NULL
    AND is_identity = 'NO' AND is_generated = 'NEVER'`;

/**
 * The rows of an account in every table of the database, found by `account_id` and foreign keys, so that new tables are included
 * automatically.
 */
export class AccountTables {
  private constructor(
    private readonly pool: Pool,
    private readonly references: Reference[],
    private readonly needed: Column[],
    /** Table -> condition with the account's id as `$1`. */
    private readonly conditions: ReadonlyMap<string, string>,
    /** Tables with rows that can end. */
    private readonly ending: ReadonlySet<string>,
  ) {}

  static async of(pool: Pool): Promise<AccountTables> {
    const owned = await pool.query<{ table_name: string }>(
      `SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'account_id'`,
    );
    const { rows: references } = await pool.query<Reference>(REFERENCES);
    const { rows: needed } = await pool.query<Column>(NEEDED);
    const conditions = new Map([['accounts', 'id = $1']]);
    for (const { table_name } of owned.rows) conditions.set(table_name, 'account_id = $1');
    while (references.some((reference) => inherit(reference, conditions)));
    const ending = await pool.query<{ table_name: string }>(
      `SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'expires_at'`,
    );
    const names = ending.rows.map(({ table_name }) => table_name);
    return new AccountTables(pool, references, needed, conditions, new Set(names));
  }

  get names(): string[] {
    return [...this.conditions.keys()];
  }

  /** Table -> its rows as JSON. */
  async rowsOf(accountId: number): Promise<Record<string, string[]>> {
    const entries = [...this.conditions].map(async ([table, condition]): Promise<[string, string[]]> => {
      const text = `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE ${condition} ORDER BY 1`;
      const { rows } = await this.pool.query<{ row: string }>(text, [accountId]);
      return [table, rows.map(({ row }) => row)];
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  /** What paths name the account's first record by: the `id` of the first record in a table that has not ended. */
  async idIn(table: string, accountId: number): Promise<number | string | undefined> {
    const alive = this.ending.has(table) ? 'AND (expires_at IS NULL OR expires_at > now())' : '';
    const ofAgent = KEY_OF_AGENT[table];
    const [key, order] = ofAgent ? [ofAgent, `agent_id, ${ofAgent}`] : ['id', 'id'];
    const text = `SELECT ${key} AS id FROM ${table} WHERE ${this.conditions.get(table)} ${alive} ORDER BY ${order} LIMIT 1`;
    return (await this.pool.query<{ id: number | string }>(text, [accountId])).rows[0]?.id;
  }

  /** Gives the versions of an agent numbers that no other agent has, the draft the lowest one. */
  async numberVersions(agentId: number): Promise<void> {
    const [draft, current] = [1_000 + agentId, 5_000 + agentId];
    const text = `UPDATE agent_versions SET version = CASE state WHEN 'draft' THEN $2::int ELSE $3::int END WHERE agent_id = $1`;
    await this.pool.query(text, [agentId, draft, current]);
    await this.pool.query('UPDATE agents SET version = $2, last_version = $2 WHERE id = $1', [agentId, current]);
  }

  /** Inserts one row into each table without a row of the account, in an order that satisfies the foreign keys. `tables`: only into these. */
  async fill(accountId: number, marker: string, tables: readonly string[] = this.names): Promise<void> {
    const rows = await this.rowsOf(accountId);
    let empty = tables.filter((table) => rows[table]?.length === 0);
    while (empty.length > 0) {
      const now = empty.filter((table) => !this.above(table).some((one) => empty.includes(one)));
      if (now.length === 0) throw new Error(`No order to fill ${empty.join(', ')} in.`);
      for (const table of now) await this.insert(table, accountId, marker);
      empty = empty.filter((table) => !now.includes(table));
    }
  }

  private above(table: string): string[] {
    return this.references.filter(({ from }) => from === table).map(({ to }) => to);
  }

  private async insert(table: string, accountId: number, marker: string): Promise<void> {
    const own = this.needed.filter(({ table_name }) => table_name === table);
    const row: Record<string, unknown> = Object.fromEntries(
      own.map((column) => [column.column_name, valueFor(column, accountId, marker)]),
    );
    for (const reference of this.references.filter(({ from }) => from === table))
      Object.assign(row, await this.referenced(reference, accountId));
    const names = Object.keys(row);
    const places = names.map((_, index) => `$${index + 1}`);
    await this.pool
      .query(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`, Object.values(row))
      .catch((error: Error) => {
        throw new Error(
          `${table} wants a row of its own in the seed of apps/api/src/isolation.database.spec.ts: a made-up one is refused (${error.message}).`,
        );
      });
  }

  /** The columns of a foreign key, leading to a row of the account where there is one. */
  private async referenced({ columns, to, to_columns }: Reference, accountId: number): Promise<object> {
    const condition = this.conditions.get(to);
    if (condition === undefined) return {};
    const { rows } = await this.pool.query<Record<string, unknown>>(
      `SELECT ${to_columns.join(', ')} FROM ${to} WHERE ${condition} LIMIT 1`,
      [accountId],
    );
    return Object.fromEntries(columns.map((column, index) => [column, rows[0]?.[to_columns[index] ?? '']]));
  }
}

/** Derives a table's condition from a referenced table. @returns whether a condition was added */
function inherit({ from, columns, to, to_columns }: Reference, conditions: Map<string, string>): boolean {
  const condition = conditions.get(to);
  if (conditions.has(from) || condition === undefined) return false;
  conditions.set(from, `(${columns.join(', ')}) IN (SELECT ${to_columns.join(', ')} FROM ${to} WHERE ${condition})`);
  return true;
}

function valueFor({ column_name, data_type, check }: Column, accountId: number, marker: string): unknown {
  if (column_name === 'account_id') return accountId;
  if (check !== null) return check;
  if (data_type.startsWith('timestamp') || data_type === 'date') return new Date();
  if (data_type.startsWith('json')) return JSON.stringify({ marker });
  switch (data_type) {
    case 'text':
      return `${marker} ${column_name}`;
    case 'uuid':
      return newId();
    case 'bytea':
      return Buffer.from(marker);
    case 'boolean':
      return false;
    case 'ARRAY':
      return [];
    default:
      return 1;
  }
}
