import { type Actor, actorValues, auditCte, poolOf, rows, type Sql, THE_SERVICE } from '@app/database';
import type { DataSource } from 'typeorm';
import type { Scope } from './scopes.js';
import { hashToken, hintOf, newToken } from './token.js';

export interface TokenOrder {
  accountId: number;
  name: string;
  scopes: readonly Scope[];
  /** Absent: never. */
  expiresAt?: Date;
  /** The token that asks: the new one ends with it at the latest. Absent: the operator asks. */
  issuedBy?: number;
  /** Absent: a new random one. */
  token?: string;
  /** Absent: the service itself. */
  actor?: Actor;
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

/** SQL: an end that is not after that of the token with this id. `least` ignores NULL, which stands for never. */
export const notAfterIssuer = (end: string, issuedBy: string): string =>
  `least(${end}, (SELECT issuer.expires_at FROM api_tokens issuer WHERE issuer.id = ${issuedBy}::integer))`;

const ISSUE = {
  name: 'issue-token',
  text: `WITH issued AS (
      INSERT INTO api_tokens (account_id, name, token_hash, hint, scopes, expires_at)
      VALUES ($1, $2, $3, $4, $5, ${notAfterIssuer('$6::timestamptz', '$7')}) RETURNING id, account_id, name, scopes, expires_at),
    ${auditCte({
      from: 'issued',
      action: 'token.issued',
      subject: 'token',
      actor: 8,
      details: `jsonb_build_object('name', name, 'scopes', scopes, 'expires_at', expires_at)`,
    })}
    SELECT id FROM issued`,
};

/** Stores the hash and gives the token, which nobody can read again. */
export async function issueToken(source: DataSource | Sql, order: TokenOrder): Promise<{ token: string; id: number }> {
  const token = order.token ?? newToken();
  const { accountId, name, scopes, expiresAt, issuedBy, actor = THE_SERVICE } = order;
  const stored = [accountId, name, hashToken(token), hintOf(token), scopes, expiresAt ?? null];
  const values = [...stored, issuedBy ?? null, ...actorValues(actor)];
  const [row] = await rows<{ id: number }>(sqlOf(source), ISSUE, values);
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

const REVOKE = {
  name: 'revoke-token',
  text: `WITH found AS (
      SELECT id, account_id, name FROM api_tokens
      WHERE id = $1 AND ($2::integer IS NULL OR account_id = $2) AND revoked_at IS NULL FOR UPDATE),
    revoked AS (UPDATE api_tokens t SET revoked_at = now() FROM found WHERE t.id = found.id),
    ${auditCte({ from: 'found', action: 'token.revoked', subject: 'token', actor: 3, details: `jsonb_build_object('name', name)` })}
    SELECT 1 FROM api_tokens WHERE id = $1 AND ($2::integer IS NULL OR account_id = $2)`,
};

/**
 * false: there is no such token (of the account, when one is given). Revoking twice keeps the first time. Processes notice
 * within their cache time (5 s).
 */
export async function revokeToken(
  sql: Sql,
  id: number,
  { accountId, actor = THE_SERVICE }: { accountId?: number; actor?: Actor } = {},
): Promise<boolean> {
  return (await rows(sql, REVOKE, [id, accountId ?? null, ...actorValues(actor)])).length > 0;
}
