import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

/** The context of the encryption of `secret_sealed`. */
export const SECRET_CONTEXT = 'webhook-secret';

const LIVE = {
  name: 'live-webhook-secrets',
  text: `SELECT secret_sealed FROM webhook_secrets
     WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
};

const LIVE_HINTS = {
  name: 'webhook-secret-hints',
  text: `SELECT id, secret_sealed, created_at, expires_at FROM webhook_secrets
     WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
};

const END_OLDER = {
  name: 'end-older-webhook-secrets',
  text: `UPDATE webhook_secrets s
     SET expires_at = CASE WHEN s.id = newest.id THEN least(s.expires_at, now() + $2 * interval '1 hour') ELSE now() END
    FROM (SELECT max(id) AS id FROM webhook_secrets WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now())) newest
   WHERE s.account_id = $1 AND (s.expires_at IS NULL OR s.expires_at > now())
  RETURNING s.expires_at, s.id = newest.id AS newest`,
};
const ADD = {
  name: 'add-webhook-secret',
  text: 'INSERT INTO webhook_secrets (account_id, secret_sealed) VALUES ($1, $2) RETURNING id, created_at',
};

const EXPIRE = {
  name: 'expire-webhook-secret',
  text: `WITH live AS (
      SELECT id FROM webhook_secrets WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now())),
    expired AS (
      UPDATE webhook_secrets SET expires_at = now()
       WHERE account_id = $1 AND id = $2 AND id IN (SELECT id FROM live) AND id < (SELECT max(id) FROM live) RETURNING id)
    SELECT EXISTS (SELECT FROM live WHERE id = $2) AS live, EXISTS (SELECT FROM expired) AS expired`,
};

interface AddedSecret {
  id: number;
  created_at: Date;
}

interface LiveSecret extends Record<string, unknown> {
  id: number;
  secret_sealed: Buffer;
  created_at: Date;
  expires_at: Date | null;
}

/** SQL, because secrets expire on the database's clock and a rotation locks the account. */
@Injectable()
export class WebhookSecretsRepository {
  constructor(private readonly database: Database) {}

  /** The live secrets as they are stored, newest first. */
  async current(accountId: number, tx?: Sql): Promise<Buffer[]> {
    const found = await this.database.rows<{ secret_sealed: Buffer }>(LIVE, [accountId], tx);
    return found.map(({ secret_sealed: sealed }) => sealed);
  }

  live(accountId: number): Promise<LiveSecret[]> {
    return this.database.rows<LiveSecret>(LIVE_HINTS, [accountId]);
  }

  async add(accountId: number, sealed: Buffer, tx: Sql): Promise<AddedSecret> {
    const [added] = await this.database.rows<AddedSecret & Record<string, unknown>>(ADD, [accountId, sealed], tx);
    if (!added) throw new Error('The secret was not stored.');
    return added;
  }

  /** Serialises concurrent rotations of an account. */
  async lockAccount(accountId: number, tx: Sql): Promise<void> {
    await tx.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  }

  /** Ends live secrets: the newest after `overlapHours`, older ones now. */
  endOlder(accountId: number, overlapHours: number, tx: Sql): Promise<{ expires_at: Date; newest: boolean }[]> {
    return this.database.rows(END_OLDER, [accountId, overlapHours], tx);
  }

  /** Ends a secret that is live and not the newest. */
  async expire(accountId: number, id: number, tx: Sql): Promise<{ live: boolean; expired: boolean }> {
    const [row] = await this.database.rows<{ live: boolean; expired: boolean }>(EXPIRE, [accountId, id], tx);
    return row ?? { live: false, expired: false };
  }
}
