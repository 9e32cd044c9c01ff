import type { Env, Log } from '@app/common';
import { metrics } from '@app/metrics';
import { ENV, LOG } from '@app/common/settings';
import { HttpException, Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
import { type Allowance, RateLimiter } from './rate-limiter.js';
import { RateWindowsRepository } from './rate-windows.repository.js';
import type { Principal } from './token-lookup.service.js';

const TOO_MANY = 'Too many requests. The Retry-After header says when to go on.';
const TOO_MANY_OF_ACCOUNT =
  'Too many requests by all tokens of the account. The Retry-After header says when to go on.';
const TOO_MANY_FAILURES = 'Too many requests with a wrong token from this address.';

/** The tokens of an account together may send as many requests as this number of tokens. */
const TOKENS_PER_ACCOUNT = 10;

/** Limits requests per minute of tokens, accounts and addresses; without a limit the answer has no rate headers. */
@Injectable()
export class RateLimitsService {
  /** Until this time an address exceeds its failures; the address of a request is checked only until then. */
  private guessedUntil = -Infinity;
  private readonly leases: RateLimiter;

  constructor(
    private readonly windows: RateWindowsRepository,
    @Inject(ENV) private readonly limits: Env,
    @Inject(LOG) log: Log,
  ) {
    this.leases = new RateLimiter({
      take: (key, wanted, limit) => windows.take(key, wanted, limit),
      onError: (err) => log.warn({ err }, 'requests could not be counted and were admitted'),
    });
  }

  /** For a sweep: deletes ended windows, 20,000 at most. */
  forgetEndedWindows(): Promise<void> {
    return this.windows.forgetEnded();
  }

  /** Counts a request of a token or a person, and of its account. Throws 429. */
  ofToken(principal: Principal, response: Response): true | Promise<true> {
    const limit = principal.requestsPerMinute ?? this.limits.REQUESTS_PER_MINUTE;
    if (limit === 0) return true;
    const { person, tokenId } = principal;
    const key = person ? `person:${person.id}` : `token:${tokenId}`;
    const allowance = this.leases.take(key, limit);
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
   * Throws 429 for an address that has sent too many wrong tokens, unless the token of this request is valid: a broken client
   * does not lock out others that share its address. A promise only for such an address.
   */
  beforeLookup(
    request: Request,
    response: Response,
    mayBeValid: (request: Request) => Promise<boolean>,
  ): void | Promise<void> {
    if (performance.now() >= this.guessedUntil) return;
    const refused = this.leases.refuses(failuresOf(request));
    if (refused) return this.refuseInvalid(mayBeValid(request), refused, response);
  }

  private async refuseInvalid(mayBeValid: Promise<boolean>, refused: Allowance, response: Response): Promise<void> {
    if (!(await mayBeValid)) refuse(refused, response, 'auth_failures', TOO_MANY_FAILURES);
  }

  /** Counts a request with an invalid token. Throws 429 when there were too many. */
  async failed(request: Request, response: Response): Promise<void> {
    const limit = this.limits.AUTH_FAILURES_PER_MINUTE;
    if (limit === 0) return;
    const { retryAfterMs } = await this.leases.take(failuresOf(request), limit);
    if (retryAfterMs === undefined) return;
    this.guessedUntil = Math.max(this.guessedUntil, performance.now() + retryAfterMs);
    refuse({ limit, remaining: 0, retryAfterMs }, response, 'auth_failures', TOO_MANY_FAILURES);
  }

  /** Throws 429 for an address that has sent too many wrong tokens over WebSockets. */
  beforeAttempt(address: string): void {
    if (this.leases.refuses(attemptsOf(address))) refuseAttempt();
  }

  /** Counts a WebSocket with a wrong token. */
  async failedAttempt(address: string): Promise<void> {
    const limit = this.limits.AUTH_FAILURES_PER_MINUTE;
    if (limit > 0) await this.leases.take(attemptsOf(address), limit);
  }

  /** Counts a use of something that each address may do so often in a minute. @returns the ms until the next; undefined: it may */
  async overLimit(name: string, request: Request, limit: number): Promise<number | undefined> {
    return (await this.leases.take(`${name}:${clientAddress(request)}`, limit)).retryAfterMs;
  }
}

const attemptsOf = (address: string): string => `attempts:${address}`;

function refuseAttempt(): never {
  metrics.httpRefused.inc({ limit: 'socket_attempts' });
  throw new HttpException(TOO_MANY_FAILURES, 429);
}

const failuresOf = (request: Request): string => `failures:${clientAddress(request)}`;

function admit(allowance: Allowance, response: Response, name: string): true {
  if (allowance.retryAfterMs !== undefined) refuse(allowance, response, name, TOO_MANY);
  setRateHeaders(allowance, response);
  return true;
}

function admitAccount(allowance: Allowance, response: Response): true {
  if (allowance.retryAfterMs !== undefined) refuse(allowance, response, 'account', TOO_MANY_OF_ACCOUNT);
  return true;
}

function refuse(allowance: Allowance, response: Response, name: string, message: string): never {
  setRateHeaders(allowance, response);
  response.setHeader('Retry-After', String(Math.max(1, Math.ceil((allowance.retryAfterMs ?? 0) / 1_000))));
  metrics.httpRefused.inc({ limit: name });
  throw new HttpException(message, 429);
}

function setRateHeaders({ limit, remaining }: Allowance, response: Response): void {
  response.setHeader('X-RateLimit-Limit', String(limit));
  response.setHeader('X-RateLimit-Remaining', String(Math.max(0, remaining)));
}

/** The address of a request in the limits, derived with TRUST_PROXY. */
const clientAddress = ({ ip }: Request): string => toLimitedAddress(ip);

/** IPv6 addresses count by their /64, the network of one customer. */
export function toLimitedAddress(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if ('octets' in address) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
