import { Conflict, isoTime, NotFound, timeOrNull } from '@app/common';
import { rows, type Sql } from '@app/database';
import type { Scope } from './scopes.js';

/** Live ones; those that ended are no burden. */
export const TOKENS_PER_ACCOUNT = 1_000;

/** A token as its account sees it; the token itself nobody sees again. */
export interface TokenView {
  id: number;
  name: string;
  hint: string;
  scopes: Scope[];
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  replaced_by: number | null;
  created_at: string;
}

interface StoredToken {
  id: number;
  name: string;
  hint: string;
  scopes: Scope[];
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  replaced_by: number | null;
  created_at: Date;
}

const COLUMNS = 'id, name, hint, scopes, expires_at, revoked_at, last_used_at, replaced_by, created_at';
const LIST = {
  name: 'account-tokens',
  text: `SELECT ${COLUMNS} FROM api_tokens WHERE account_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`,
};
const COUNT = {
  name: 'account-tokens-count',
  text: 'SELECT count(*)::integer AS total FROM api_tokens WHERE account_id = $1',
};
const FIND = {
  name: 'account-token',
  text: `SELECT ${COLUMNS} FROM api_tokens WHERE account_id = $1 AND id = $2`,
};
const LIVE = {
  name: 'account-tokens-live',
  text: `SELECT count(*)::integer AS total FROM api_tokens
    WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};

/** A page of an account's tokens, newest first. */
export async function pageOfTokens(
  sql: Sql,
  accountId: number,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ tokens: TokenView[]; total: number }> {
  const [found, [counted]] = await Promise.all([
    rows<StoredToken & Record<string, unknown>>(sql, LIST, [accountId, perPage, (page - 1) * perPage]),
    rows<{ total: number }>(sql, COUNT, [accountId]),
  ]);
  return { tokens: found.map(tokenView), total: counted?.total ?? 0 };
}

/** Throws NotFound. */
export async function findToken(sql: Sql, accountId: number, id: number): Promise<TokenView> {
  const [found] = await rows<StoredToken & Record<string, unknown>>(sql, FIND, [accountId, id]);
  if (!found) throw new NotFound('Token');
  return tokenView(found);
}

/** Throws Conflict when the account has TOKENS_PER_ACCOUNT; a few more when several are made at once. */
export async function requireTokenRoom(sql: Sql, accountId: number): Promise<void> {
  const [live] = await rows<{ total: number }>(sql, LIVE, [accountId]);
  if ((live?.total ?? 0) < TOKENS_PER_ACCOUNT) return;
  throw new Conflict(`The account has ${TOKENS_PER_ACCOUNT.toLocaleString('en-US')} tokens. Revoke one first.`);
}

const tokenView = (row: StoredToken): TokenView => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  scopes: row.scopes,
  expires_at: timeOrNull(row.expires_at),
  revoked_at: timeOrNull(row.revoked_at),
  last_used_at: timeOrNull(row.last_used_at),
  replaced_by: row.replaced_by,
  created_at: isoTime(row.created_at),
});
