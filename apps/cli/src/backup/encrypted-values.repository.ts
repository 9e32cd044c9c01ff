import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** A column with encrypted values in a table with an `id`. */
export interface EncryptedColumn {
  table: string;
  column: string;
}

/** Rows of one page of encrypted values. */
const BATCH = 500;

/** All values that are encrypted with the SECRET_KEY, in whichever table. */
@Injectable()
export class EncryptedValuesRepository {
  constructor(private readonly database: Database) {}

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
