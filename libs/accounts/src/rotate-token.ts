import { type Actor, actorValues, auditCte, rows, type Sql, THE_SERVICE } from '@app/database';
import type { Scope } from './scopes.js';
import { notAfterIssuer } from './api-tokens.js';
import { hashToken, hintOf, newToken } from './token.js';

/** Whoever uses the token gets the new one within this time. */
export const DEFAULT_OVERLAP_MINUTES = 60;
export const MAX_OVERLAP_MINUTES = 7 * 24 * 60;

export interface TokenRotation {
  /** Absent: of any account. */
  accountId?: number;
  /** 0: the old token ends now. */
  overlapMinutes?: number;
  /** Only a token whose scopes are among these: nobody gets more than he has. */
  within?: readonly Scope[];
  /** The token that asks: the new one ends with it at the latest. Absent: the operator asks. */
  issuedBy?: number;
  actor?: Actor;
}

export interface RotatedToken {
  id: number;
  /** Shown this once. */
  token: string;
  account_id: number;
  name: string;
  scopes: Scope[];
  expires_at: Date | null;
  /** When the one before it ends. */
  previous_ends_at: Date;
}

/** One statement: of two rotations of a token at once the second finds it ended, or replaced. */
const ROTATE = {
  name: 'rotate-token',
  text: `WITH found AS (
      SELECT * FROM api_tokens
      WHERE id = $1 AND ($2::integer IS NULL OR account_id = $2) AND ($3::text[] IS NULL OR scopes <@ $3)
        AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AND replaced_by IS NULL FOR UPDATE),
    issued AS (
      INSERT INTO api_tokens (account_id, name, token_hash, hint, scopes, expires_at)
      SELECT account_id, name, $4, $5, scopes, ${notAfterIssuer('now() + (expires_at - created_at)', '$7')} FROM found
      RETURNING id, account_id, name, scopes, expires_at),
    ended AS (
      UPDATE api_tokens t SET replaced_by = issued.id, expires_at = least(t.expires_at, now() + $6 * interval '1 minute')
      FROM found, issued WHERE t.id = found.id RETURNING t.expires_at),
    ${auditCte({
      from: '(SELECT found.account_id, found.id, issued.id AS new_id, found.name FROM found, issued) AS rotated',
      action: 'token.rotated',
      subject: 'token',
      actor: 8,
      details: `jsonb_build_object('name', name, 'new_id', new_id)`,
    })}
    SELECT issued.*, ended.expires_at AS previous_ends_at FROM issued, ended`,
};

/**
 * A new token in the place of one: the same account, name, scopes and lifetime, cut at the end of the token that asks. The old one works for an overlap, at most as long
 * as it would have. Undefined: there is no such live token, or it was rotated already.
 */
export async function rotateToken(
  sql: Sql,
  id: number,
  { accountId, overlapMinutes = DEFAULT_OVERLAP_MINUTES, within, issuedBy, actor = THE_SERVICE }: TokenRotation = {},
): Promise<RotatedToken | undefined> {
  const token = newToken();
  const made = [hashToken(token), hintOf(token), overlapMinutes, issuedBy ?? null];
  const values = [id, accountId ?? null, within ?? null, ...made, ...actorValues(actor)];
  const [row] = await rows<Omit<RotatedToken, 'token'>>(sql, ROTATE, values);
  return row && { ...row, token };
}
