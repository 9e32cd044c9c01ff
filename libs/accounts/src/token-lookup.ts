import { rows, type Sql } from '@app/database';
import type { Pool } from 'pg';
import type { Scope } from './scopes.js';
import { TokenExistence } from './token-existence.js';
import { hashToken, isIssuedToken, isPlausibleToken } from './token.js';

/** Who is asking, and what the token lets them do. */
export interface Principal {
  accountId: number;
  tokenId: number;
  scopes: readonly Scope[];
  /** Of each token of the account; null: the installation's, 0: no limit. */
  requestsPerMinute: number | null;
}

export interface TokenLookupOptions {
  /** How long a found token is believed without asking again; a revocation is noticed after this. */
  ttlMs: number;
  /** Milliseconds; another clock for tests. */
  now?: () => number;
}

interface Kept {
  principal: Principal;
  until: number;
}

interface FoundToken {
  id: number;
  account_id: number;
  scopes: Scope[];
  expires_in: string | null;
  requests_per_minute: number | null;
}

const KEPT_TOKENS = 10_000;

/** One round trip: finds a live token and notes its use, at most once a minute so that requests do not become writes. */
const FIND = {
  name: 'find-token',
  text: `WITH found AS (
      SELECT t.id, t.account_id, t.scopes, t.last_used_at, extract(epoch FROM t.expires_at - now()) * 1000 AS expires_in,
        a.requests_per_minute
      FROM api_tokens t JOIN accounts a ON a.id = t.account_id
      WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
    ), used AS (
      UPDATE api_tokens t SET last_used_at = now() FROM found
      WHERE t.id = found.id AND (found.last_used_at IS NULL OR found.last_used_at < now() - interval '1 minute')
    )
    SELECT id, account_id, scopes, expires_in, requests_per_minute FROM found`,
};

/** Finds whose a bearer token is; the only place that decides it. */
export class TokenLookup {
  /** By hash, so that a heap dump holds no tokens; the least recently used first. */
  private readonly kept = new Map<string, Kept>();
  private readonly existence: TokenExistence;
  private readonly now: () => number;

  constructor(
    private readonly pool: Pool,
    private readonly options: TokenLookupOptions,
  ) {
    this.existence = new TokenExistence(pool);
    this.now = options.now ?? (() => performance.now());
  }

  /**
   * Whether `find` is worth its query after too many wrong tokens of an address: this process has seen the token work, or it has
   * the form of an issued token and exists. One that an operator chose could be guessed, so that it is not looked up.
   */
  async mayBeValid(token: string): Promise<boolean> {
    const hash = hashToken(token);
    if (this.kept.has(keyOf(hash))) return true;
    return isIssuedToken(token) && (await this.existence.of(hash));
  }

  /** undefined: unknown, expired, revoked, or (without a query) not even well-formed. */
  async find(token: string): Promise<Principal | undefined> {
    const hash = hashToken(token);
    const key = keyOf(hash);
    const known = this.remembered(key);
    if (known) return known;
    return isPlausibleToken(token) ? this.load(hash, key) : undefined;
  }

  private remembered(key: string): Principal | undefined {
    const entry = this.kept.get(key);
    if (!entry) return undefined;
    if (entry.until <= this.now()) return undefined;
    this.kept.delete(key);
    this.kept.set(key, entry);
    return entry.principal;
  }

  private async load(hash: Buffer, key: string): Promise<Principal | undefined> {
    const [row] = await rows<FoundToken & Record<string, unknown>>(this.pool, FIND, [hash]);
    this.kept.delete(key);
    if (!row) return undefined;
    const { id: tokenId, account_id: accountId, scopes, requests_per_minute: requestsPerMinute } = row;
    const principal = { accountId, tokenId, scopes, requestsPerMinute };
    const lives = row.expires_in === null ? this.options.ttlMs : Math.min(this.options.ttlMs, Number(row.expires_in));
    this.kept.set(key, { principal, until: this.now() + lives });
    this.forgetOldest();
    return principal;
  }

  private forgetOldest(): void {
    if (this.kept.size <= KEPT_TOKENS) return;
    const [oldest] = this.kept.keys();
    if (oldest !== undefined) this.kept.delete(oldest);
  }
}

const keyOf = (hash: Buffer): string => hash.toString('base64');

const LIVE = {
  name: 'live-tokens',
  text: `SELECT id FROM api_tokens
    WHERE id = ANY ($1::integer[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};

/** Those of the tokens that may still be used, for what was begun with them and goes on. */
export async function liveTokens(sql: Sql, tokenIds: readonly number[]): Promise<Set<number>> {
  return new Set((await rows<{ id: number }>(sql, LIVE, [tokenIds])).map(({ id }) => id));
}
