import { Database, rows, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

const FIND_FINGERPRINT = { text: 'SELECT key_fingerprint FROM installation' };

/** The row of the installation: the fingerprint of the SECRET_KEY that its secrets are encrypted with. */
@Injectable()
export class InstallationRepository {
  constructor(private readonly database: Database) {}

  /** undefined: no process was ever started on this database. */
  async keyFingerprint(tx?: Sql): Promise<string | undefined> {
    const [row] = await this.database.rows<{ key_fingerprint: string }>(FIND_FINGERPRINT, [], tx);
    return row?.key_fingerprint;
  }

  async replaceKeyFingerprint(fingerprint: string, tx: Sql): Promise<void> {
    await tx.query('UPDATE installation SET key_fingerprint = $1', [fingerprint]);
  }
}

/** Stores the fingerprint unless one is stored already. @returns the stored one */
export async function keepKeyFingerprint(sql: Sql, fingerprint: string): Promise<string | undefined> {
  await sql.query('INSERT INTO installation (key_fingerprint) VALUES ($1) ON CONFLICT DO NOTHING', [fingerprint]);
  const [row] = await rows<{ key_fingerprint: string }>(sql, FIND_FINGERPRINT);
  return row?.key_fingerprint;
}
