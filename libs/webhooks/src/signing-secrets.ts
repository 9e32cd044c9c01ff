import type { Encryption } from '@app/common';
import { rows, type Sql } from '@app/database';
import type { Pool } from 'pg';

const KEPT_MS = 5_000;
const KEPT_ACCOUNTS = 1_000;

const LIVE = {
  name: 'live-webhook-secrets',
  text: `SELECT secret_sealed FROM webhook_secrets
     WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
};

/** The live secrets of an account, newest first: two during a rotation. Throws when they were sealed with another SECRET_KEY. */
export async function currentSecrets(sql: Sql, encryption: Encryption, accountId: number): Promise<string[]> {
  const found = await rows<{ secret_sealed: Buffer }>(sql, LIVE, [accountId]);
  return found.map((row) => encryption.decrypt(row.secret_sealed, 'webhook-secret'));
}

/** The same, remembered: a rotation is noticed within 5 s. */
export class SigningSecrets {
  private readonly kept = new Map<number, { secrets: string[]; until: number }>();

  constructor(
    private readonly pool: Pool,
    private readonly encryption: Encryption,
    /** Milliseconds; another clock for tests. */
    private readonly now = () => performance.now(),
  ) {}

  /** Empty: the account has none. */
  async of(accountId: number): Promise<string[]> {
    const known = this.kept.get(accountId);
    if (known && known.until > this.now()) return known.secrets;
    const secrets = await currentSecrets(this.pool, this.encryption, accountId);
    if (this.kept.size >= KEPT_ACCOUNTS) this.kept.clear();
    this.kept.set(accountId, { secrets, until: this.now() + KEPT_MS });
    return secrets;
  }
}
