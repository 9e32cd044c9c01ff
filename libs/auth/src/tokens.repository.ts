import { type Actor, actorValues, auditCte } from '@app/audit';
import { Database, entityPage } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Raw, Repository } from 'typeorm';
import { ApiTokenEntity } from './api-token.entity.js';
import type { Scope } from './domain/token.js';

/** The hash of a new token and its first characters. */
interface NewSecret {
  hash: Buffer;
  hint: string;
}

interface NewToken extends NewSecret {
  accountId: number;
  name: string;
  scopes: readonly Scope[];
  /** null: never. */
  expiresAt: Date | null;
  /** The token that issues it, and limits its lifetime; null: the operator. */
  issuedBy: number | null;
}

interface ReplacedToken {
  id: number;
  /** null: of any account. */
  accountId: number | null;
  /** Its scopes must be among these; null: any. */
  within: readonly Scope[] | null;
  overlapMinutes: number;
  issuedBy: number | null;
}

export interface RotatedRow {
  id: number;
  account_id: number;
  name: string;
  scopes: Scope[];
  expires_at: Date | null;
  /** End of the replaced token. */
  previous_ends_at: Date;
}

/** A live token, as requests authenticate with it. */
interface FoundToken {
  id: number;
  account_id: number;
  scopes: Scope[];
  /** Milliseconds. */
  expires_in: string | null;
  requests_per_minute: number | null;
}

/** SQL: an end that is not after that of the issuing token. `least` ignores NULL, which stands for never. */
const notAfterIssuer = (end: string, issuedBy: string): string =>
  `least(${end}, (SELECT issuer.expires_at FROM api_tokens issuer WHERE issuer.id = ${issuedBy}::integer))`;

const IS_LIVE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())';

// One statement each for change and audit event: ends are compared on the database's clock, under the lock of the row.
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

const REVOKE = {
  name: 'revoke-token',
  text: `WITH found AS (
      SELECT id, account_id, name FROM api_tokens
      WHERE id = $1 AND ($2::integer IS NULL OR account_id = $2) AND revoked_at IS NULL FOR UPDATE),
    revoked AS (UPDATE api_tokens t SET revoked_at = now() FROM found WHERE t.id = found.id),
    ${auditCte({ from: 'found', action: 'token.revoked', subject: 'token', actor: 3, details: `jsonb_build_object('name', name)` })}
    SELECT 1 FROM api_tokens WHERE id = $1 AND ($2::integer IS NULL OR account_id = $2)`,
};

/** Of two concurrent rotations of a token the second finds it ended, or replaced. */
const ROTATE = {
  name: 'rotate-token',
  text: `WITH found AS (
      SELECT * FROM api_tokens
      WHERE id = $1 AND ($2::integer IS NULL OR account_id = $2) AND ($3::text[] IS NULL OR scopes <@ $3)
        AND ${IS_LIVE} AND replaced_by IS NULL FOR UPDATE),
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
 * Hot: every request whose token is not cached. One round trip finds the live token with the limit of its account (`accounts`) and stores
 * its last use, at most once a minute so that requests do not become writes.
 */
const AUTHENTICATE = {
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

// Hot during a flood of invented tokens, and for every open event stream.
const EXISTING = {
  name: 'existing-tokens',
  text: `SELECT token_hash FROM api_tokens WHERE token_hash = ANY ($1::bytea[]) AND ${IS_LIVE}`,
};
const LIVE = {
  name: 'live-tokens',
  text: `SELECT id FROM api_tokens WHERE id = ANY ($1::integer[]) AND ${IS_LIVE}`,
};

@Injectable()
export class TokensRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(ApiTokenEntity) private readonly tokens: Repository<ApiTokenEntity>,
  ) {}

  /** Newest first. */
  page(accountId: number, { page, perPage }: { page: number; perPage: number }): Promise<[ApiTokenEntity[], number]> {
    const tokens = this.tokens.createQueryBuilder('token').where({ accountId }).orderBy('token.id', 'DESC');
    return entityPage(tokens, { limit: perPage, offset: (page - 1) * perPage });
  }

  find(accountId: number, id: number): Promise<ApiTokenEntity | null> {
    return this.tokens.findOneBy({ accountId, id });
  }

  /** The newest last; of one account when its id is given. */
  all(accountId?: number): Promise<ApiTokenEntity[]> {
    return this.tokens.find({ where: accountId === undefined ? {} : { accountId }, order: { id: 'ASC' } });
  }

  countLive(accountId: number): Promise<number> {
    const expiresAt = Raw((column) => `(${column} IS NULL OR ${column} > now())`);
    return this.tokens.countBy({ accountId, revokedAt: IsNull(), expiresAt });
  }

  /** @returns the id */
  async issue(token: NewToken, actor: Actor): Promise<number> {
    const { accountId, name, hash, hint, scopes, expiresAt, issuedBy } = token;
    const values = [accountId, name, hash, hint, scopes, expiresAt, issuedBy, ...actorValues(actor)];
    const [row] = await this.database.rows<{ id: number }>(ISSUE, values);
    if (!row) throw new Error('The token was not stored.');
    return row.id;
  }

  /** false: there is no such token, of the account when one is given. The first revocation counts. */
  async revoke(id: number, accountId: number | null, actor: Actor): Promise<boolean> {
    return (await this.database.rows(REVOKE, [id, accountId, ...actorValues(actor)])).length > 0;
  }

  /** undefined: there is no such live token, or it was rotated already. */
  async rotate(replaced: ReplacedToken, { hash, hint }: NewSecret, actor: Actor): Promise<RotatedRow | undefined> {
    const { id, accountId, within, overlapMinutes, issuedBy } = replaced;
    const values = [id, accountId, within, hash, hint, overlapMinutes, issuedBy, ...actorValues(actor)];
    const [row] = await this.database.rows<RotatedRow & Record<string, unknown>>(ROTATE, values);
    return row;
  }

  /** Finds a live token and stores its last use. */
  async authenticate(hash: Buffer): Promise<FoundToken | undefined> {
    const [found] = await this.database.rows<FoundToken & Record<string, unknown>>(AUTHENTICATE, [hash]);
    return found;
  }

  /** The hashes of live tokens among some hashes. */
  async existing(hashes: readonly Buffer[]): Promise<Buffer[]> {
    const found = await this.database.rows<{ token_hash: Buffer }>(EXISTING, [hashes]);
    return found.map(({ token_hash: hash }) => hash);
  }

  /** The ids of live tokens among some ids. */
  async live(ids: readonly number[]): Promise<number[]> {
    return (await this.database.rows<{ id: number }>(LIVE, [ids])).map(({ id }) => id);
  }
}
