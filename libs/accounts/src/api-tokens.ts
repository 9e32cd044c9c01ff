import { poolOf, rows, type Sql } from '@app/db';
import type { DataSource } from 'typeorm';
import type { Scope } from './scopes.js';
import { hashToken, hintOf, newToken } from './token.js';

export interface TokenOrder {
  accountId: number;
  name: string;
  scopes: readonly Scope[];
  /** Absent: never. */
  expiresAt?: Date;
  /** Absent: a new random one. */
  token?: string;
}

/** What may be shown of a token after it was issued. */
export interface TokenRow {
  id: number;
  account_id: number;
  account: string;
  name: string;
  hint: string;
  scopes: Scope[];
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

/** Stores the hash and gives the token, which nobody can read again. */
export async function issueToken(source: DataSource | Sql, order: TokenOrder): Promise<{ token: string; id: number }> {
  const token = order.token ?? newToken();
  const statement = {
    text: `INSERT INTO api_tokens (account_id, name, token_hash, hint, scopes, expires_at)
           VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
  };
  const { accountId, name, scopes, expiresAt } = order;
  const values = [accountId, name, hashToken(token), hintOf(token), scopes, expiresAt ?? null];
  const [row] = await rows<{ id: number }>(sqlOf(source), statement, values);
  if (!row) throw new Error('The token was not stored.');
  return { token, id: row.id };
}

const sqlOf = (source: DataSource | Sql): Sql => ('driver' in source ? poolOf(source) : source);

/** All tokens, the newest last; of one account when its id is given. */
export function listTokens(sql: Sql, accountId?: number): Promise<TokenRow[]> {
  const text = `SELECT t.id, t.account_id, a.name AS account, t.name, t.hint, t.scopes, t.expires_at, t.revoked_at,
      t.last_used_at, t.created_at
    FROM api_tokens t JOIN accounts a ON a.id = t.account_id
    WHERE $1::integer IS NULL OR t.account_id = $1 ORDER BY t.id`;
  return rows<TokenRow>(sql, { text }, [accountId ?? null]);
}

/** false: there is no such token. Revoking twice keeps the first time. Processes notice within their cache time (5 s). */
export async function revokeToken(sql: Sql, id: number): Promise<boolean> {
  const text = 'UPDATE api_tokens SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 RETURNING id';
  return (await rows(sql, { text }, [id])).length > 0;
}
