import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import { rows, type Sql } from './statement.js';

const FIND_FINGERPRINT = { text: 'SELECT key_fingerprint FROM installation' };

/** The fingerprint of the installation's SECRET_KEY. */
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
}

/** Stores the fingerprint unless one exists. @returns the stored fingerprint */
export async function keepKeyFingerprint(sql: Sql, fingerprint: string): Promise<string | undefined> {
  await sql.query('INSERT INTO installation (key_fingerprint) VALUES ($1) ON CONFLICT DO NOTHING', [fingerprint]);
  const [row] = await rows<{ key_fingerprint: string }>(sql, FIND_FINGERPRINT);
  return row?.key_fingerprint;
}
