import type { Role } from '@app/accounts';
import { Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { RoleGrounds } from './domain/person-claims.js';
import { hashToken, isIssuedToken, isPlausibleToken, type Scope } from './domain/token.js';
import { TokensRepository } from './tokens.repository.js';

/** The account and the permissions of a request: of a token, or of a person. */
export interface Principal {
  accountId: number;
  /** Absent: a person. */
  tokenId?: number;
  scopes: readonly Scope[];
  /** Of each token and person of the account; null: the installation's, 0: no limit. */
  requestsPerMinute: number | null;
  /** Absent: a token. */
  person?: SignedInPerson;
}

/** A person who signed in at an OpenID Connect issuer. */
export interface SignedInPerson {
  /** In `people`. */
  id: number;
  email: string | null;
  name: string | null;
  role: Role;
  /** Of the console; absent: an access token of the issuer. */
  sessionId?: number;
  /** Of an access token: the account must still trust it while a stream is open. */
  accessToken?: AccessTokenGrounds;
  endsAt: Date;
}

/** Why an account accepts an access token of an issuer. */
export interface AccessTokenGrounds {
  issuer: string;
  audiences: readonly unknown[];
  client: string | undefined;
  role: RoleGrounds;
}

export interface TokenCacheOptions {
  /** How long a found token is served from the cache; a revocation takes effect after this. */
  ttlMs: number;
  /** Milliseconds; another clock for tests. */
  now: () => number;
}

interface Cached {
  principal: Principal;
  until: number;
}

const CACHE: TokenCacheOptions = { ttlMs: 5_000, now: () => performance.now() };
const CACHED_TOKENS = 10_000;

/** Authenticates bearer tokens, for this process. */
@Injectable()
export class TokenLookupService {
  /** By hash, so that a heap dump holds no tokens. */
  private readonly cache = new LRUCache<string, Cached>({ max: CACHED_TOKENS });
  private readonly existence: TokenExistence;

  constructor(
    private readonly tokens: TokensRepository,
    /** Given by tests. */
    @Optional() private readonly options: TokenCacheOptions = CACHE,
  ) {
    this.existence = new TokenExistence(tokens);
  }

  /**
   * Whether `find` may run its query after too many wrong tokens of an address: the token is in the cache, or it has the form of an
   * issued token and exists. A token that an operator chose could be guessed, so it is not looked up.
   */
  async mayBeValid(token: string): Promise<boolean> {
    const hash = hashToken(token);
    if (this.cache.has(keyOf(hash))) return true;
    return isIssuedToken(token) && (await this.existence.of(hash));
  }

  /** undefined: unknown, expired, revoked, or (without a query) malformed. */
  async find(token: string): Promise<Principal | undefined> {
    const hash = hashToken(token);
    const key = keyOf(hash);
    const cached = this.cached(key);
    if (cached) return cached;
    return isPlausibleToken(token) ? this.load(hash, key) : undefined;
  }

  private cached(key: string): Principal | undefined {
    const entry = this.cache.get(key);
    return entry && entry.until > this.options.now() ? entry.principal : undefined;
  }

  private async load(hash: Buffer, key: string): Promise<Principal | undefined> {
    const found = await this.tokens.authenticate(hash);
    this.cache.delete(key);
    if (!found) return undefined;
    const { id: tokenId, account_id: accountId, scopes, requests_per_minute: requestsPerMinute } = found;
    const { ttlMs, now } = this.options;
    const lives = found.expires_in === null ? ttlMs : Math.min(ttlMs, Number(found.expires_in));
    const principal = { accountId, tokenId, scopes, requestsPerMinute };
    this.cache.set(key, { principal, until: now() + lives });
    return principal;
  }
}

const keyOf = (hash: Buffer): string => hash.toString('base64');

const MAX_AT_ONCE = 500;

interface ExistenceQuery {
  hash: Buffer;
  resolve: (exists: boolean) => void;
  reject: (error: unknown) => void;
}

/**
 * Whether tokens exist. One statement at a time answers all waiting queries of this process: a flood of invented tokens uses one
 * connection, and a valid token among them waits for at most two statements per 500 tokens.
 */
class TokenExistence {
  private waiting: ExistenceQuery[] = [];
  private isRunning = false;

  constructor(private readonly tokens: TokensRepository) {}

  of(hash: Buffer): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ hash, resolve, reject });
      if (!this.isRunning) void this.runAll();
    });
  }

  /** Never rejects: each query gets its result or its error. */
  private async runAll(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) await this.run(this.waiting.splice(0, MAX_AT_ONCE));
    this.isRunning = false;
  }

  private async run(queries: ExistenceQuery[]): Promise<void> {
    try {
      const found = await this.tokens.existing(queries.map(({ hash }) => hash));
      const existing = new Set(found.map(keyOf));
      for (const { hash, resolve } of queries) resolve(existing.has(keyOf(hash)));
    } catch (error) {
      for (const { reject } of queries) reject(error);
    }
  }
}
