import { Database, rows, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

const FIND_FINGERPRINT = { text: 'SELECT key_fingerprint FROM installation' };

/** A column with encrypted values in a table with an `id`. */
export interface EncryptedColumn {
  table: string;
  column: string;
}

/** Rows of one page of encrypted values. */
const BATCH = 500;

/** The fingerprint of the installation's SECRET_KEY, and all values that are encrypted with this key. */
@Injectable()
export class InstallationRepository {
  constructor(private readonly database: Database) {}

  /** undefined: no process has ever started on this database. */
  async keyFingerprint(tx?: Sql): Promise<string | undefined> {
    const [row] = await this.database.rows<{ key_fingerprint: string }>(FIND_FINGERPRINT, [], tx);
    return row?.key_fingerprint;
  }

  async replaceKeyFingerprint(fingerprint: string, tx: Sql): Promise<void> {
    await tx.query('UPDATE installation SET key_fingerprint = $1', [fingerprint]);
  }

  /** Yields all values of a column of encrypted bytes. */
  encryptedBytes(column: EncryptedColumn): AsyncGenerator<{ id: unknown; value: unknown }> {
    return this.values(column, `${column.column} IS NOT NULL`);
  }

  /** Yields the values of a JSON column that contain `"headers_sealed"` somewhere. */
  encryptedJson(column: EncryptedColumn): AsyncGenerator<{ id: unknown; value: unknown }> {
    return this.values(column, `${column.column}::text LIKE '%"headers_sealed"%'`);
  }

  /** False: the value has changed since it was read. */
  async replaceEncrypted(
    { table, column }: EncryptedColumn,
    id: unknown,
    from: unknown,
    to: unknown,
  ): Promise<boolean> {
    const text = `UPDATE ${table} SET ${column} = $2 WHERE id = $1 AND ${column} = $3 RETURNING 1`;
    return (await this.database.rows({ text }, [id, to, from])).length > 0;
  }

  private async *values(
    { table, column }: EncryptedColumn,
    where: string,
  ): AsyncGenerator<{ id: unknown; value: unknown }> {
    let last: unknown;
    for (;;) {
      const after = last === undefined ? '' : 'AND id > $1';
      const text = `SELECT id, ${column} AS value FROM ${table} WHERE ${where} ${after} ORDER BY id LIMIT ${BATCH}`;
      const page = await this.database.rows<{ id: unknown; value: unknown }>(
        { text },
        last === undefined ? [] : [last],
      );
      yield* page;
      if (page.length < BATCH) return;
      last = page.at(-1)?.id;
    }
  }
}

/** Stores the fingerprint unless one exists. @returns the stored fingerprint */
export async function keepKeyFingerprint(sql: Sql, fingerprint: string): Promise<string | undefined> {
  await sql.query('INSERT INTO installation (key_fingerprint) VALUES ($1) ON CONFLICT DO NOTHING', [fingerprint]);
  const [row] = await rows<{ key_fingerprint: string }>(sql, FIND_FINGERPRINT);
  return row?.key_fingerprint;
}
