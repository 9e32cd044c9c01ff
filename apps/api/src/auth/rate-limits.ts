import { type Allowance, type Principal, type RateLeases, TokenLookup } from '@app/accounts';
import type { Env } from '@app/common';
import { metrics } from '@app/metrics';
import { HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { clientAddress } from './client-address.js';

type Limits = Pick<Env, 'REQUESTS_PER_MINUTE' | 'ADDRESS_REQUESTS_PER_MINUTE' | 'AUTH_FAILURES_PER_MINUTE'>;

const TOO_MANY = 'Too many requests. The Retry-After header says when to go on.';
const TOO_MANY_OF_ACCOUNT =
  'Too many requests by all tokens of the account. The Retry-After header says when to go on.';
const TOO_MANY_FAILURES = 'Too many requests with a wrong token from this address.';

/** An account has as many tokens as it likes; together they get the limit of so many. */
const TOKENS_PER_ACCOUNT = 10;

/** Limits per minute of tokens, accounts and addresses; what has no limit has none of their headers. */
export class RateLimits {
  /** Until then some address has used up its failures: only then is each request's address looked at. */
  private guessedUntil = -Infinity;

  constructor(
    private readonly leases: RateLeases,
    private readonly tokens: TokenLookup,
    private readonly limits: Limits,
  ) {}

  /** Counts a request of a token, and of its account. Throws 429. */
  ofToken(principal: Principal, response: Response): true | Promise<true> {
    const limit = principal.requestsPerMinute ?? this.limits.REQUESTS_PER_MINUTE;
    if (limit === 0) return true;
    const allowance = this.leases.take(`token:${principal.tokenId}`, limit);
    if (allowance instanceof Promise) return allowance.then((taken) => this.admitToken(taken, principal, response));
    return this.admitToken(allowance, principal, response);
  }

  /** The headers of an admitted request are those of the token's limit. */
  private admitToken(token: Allowance, { accountId }: Principal, response: Response): true | Promise<true> {
    admit(token, response, 'token');
    const ofAccount = this.leases.take(`account:${accountId}`, token.limit * TOKENS_PER_ACCOUNT);
    if (ofAccount instanceof Promise) return ofAccount.then((taken) => admitAccount(taken, response));
    return admitAccount(ofAccount, response);
  }

  /** Counts a request without a token. Throws 429. */
  async ofAddress(request: Request, response: Response): Promise<true> {
    const limit = this.limits.ADDRESS_REQUESTS_PER_MINUTE;
    if (limit === 0) return true;
    return admit(await this.leases.take(`address:${clientAddress(request)}`, limit), response, 'address');
  }

  /**
   * Throws 429 for an address that has shown too many wrong tokens, unless the token of this request is valid: a broken client
   * does not lock out the others that share its address. A promise only for such an address.
   */
  beforeLookup(request: Request, response: Response): void | Promise<void> {
    if (performance.now() >= this.guessedUntil) return;
    const refused = this.leases.refuses(failuresOf(request));
    if (refused) return this.refuseUnlessValid(request, response, refused);
  }

  private async refuseUnlessValid(request: Request, response: Response, refused: Allowance): Promise<void> {
    const [, token = ''] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (await this.tokens.mayBeValid(token)) return;
    refuse(refused, response, 'auth_failures', TOO_MANY_FAILURES);
  }

  /** Counts a request whose token is none. Throws 429 when there were too many. */
  async failed(request: Request, response: Response): Promise<void> {
    const limit = this.limits.AUTH_FAILURES_PER_MINUTE;
    if (limit === 0) return;
    const { retryAfterMs } = await this.leases.take(failuresOf(request), limit);
    if (retryAfterMs === undefined) return;
    this.guessedUntil = Math.max(this.guessedUntil, performance.now() + retryAfterMs);
    refuse({ limit, remaining: 0, retryAfterMs }, response, 'auth_failures', TOO_MANY_FAILURES);
  }
}

const failuresOf = (request: Request): string => `failures:${clientAddress(request)}`;

function admit(allowance: Allowance, response: Response, name: string): true {
  if (allowance.retryAfterMs !== undefined) refuse(allowance, response, name, TOO_MANY);
  tell(allowance, response);
  return true;
}

function admitAccount(allowance: Allowance, response: Response): true {
  if (allowance.retryAfterMs !== undefined) refuse(allowance, response, 'account', TOO_MANY_OF_ACCOUNT);
  return true;
}

function refuse(allowance: Allowance, response: Response, name: string, message: string): never {
  tell(allowance, response);
  response.setHeader('Retry-After', String(Math.max(1, Math.ceil((allowance.retryAfterMs ?? 0) / 1_000))));
  metrics.httpRefused.inc({ limit: name });
  throw new HttpException(message, 429);
}

function tell({ limit, remaining }: Allowance, response: Response): void {
  response.setHeader('X-RateLimit-Limit', String(limit));
  response.setHeader('X-RateLimit-Remaining', String(Math.max(0, remaining)));
}
