import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-http-bearer';
import { looksLikeJwt } from './domain/access-token.js';
import { hasSession, PeopleAuthenticationService } from './sign-in/people-authentication.service.js';
import { type Principal, TokenLookupService } from './token-lookup.service.js';

/** The challenge of a request whose session has ended. */
export const SESSION_ENDED = 'session ended';

/** Resolves `Authorization: Bearer …` to the principal of a token, or of an access token of an OpenID Connect issuer. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  // Passport gives them to the strategy of each request.
  declare readonly success: (user: Principal) => void;
  declare readonly fail: (challenge: string) => void;
  declare readonly error: (error: unknown) => void;

  constructor(
    private readonly tokens: TokenLookupService,
    private readonly people: PeopleAuthenticationService,
  ) {
    super({ passReqToCallback: true });
  }

  /**
   * Without an Authorization header, the session cookie of the console counts. Passport would also accept tokens in the query and the
   * body; URLs end up in logs, so only the header counts.
   */
  override authenticate(request: Request): void {
    const { authorization, cookie } = request.headers;
    if (authorization === undefined && cookie !== undefined && hasSession(request)) this.authenticateSession(request);
    else super.authenticate({ headers: request.headers } as Request);
  }

  private authenticateSession(request: Request): void {
    this.people.ofSession(request).then(
      (user) => (user ? this.success(user) : this.fail(SESSION_ENDED)),
      (error: unknown) => this.error(error),
    );
  }

  async validate({ headers }: Pick<Request, 'headers'>, token: string): Promise<Principal | false> {
    if (!looksLikeJwt(token)) return (await this.tokens.find(token)) ?? false;
    const person = await this.people.ofAccessToken(token, accountIn(headers));
    // An operator may have chosen a token that looks like one of an issuer.
    return person ?? (await this.tokens.find(token)) ?? false;
  }

  /** For addresses with too many wrong tokens: a cheap check, which floods of invented tokens and cookies cannot make expensive. */
  async mayBeValid(request: Request): Promise<boolean> {
    const { authorization } = request.headers;
    if (authorization === undefined) return this.people.mayHaveSession(request);
    const [, token = ''] = /^Bearer (.+)$/i.exec(authorization) ?? [];
    if (!looksLikeJwt(token)) return this.tokens.mayBeValid(token);
    return (await this.people.ofAccessToken(token, accountIn(request.headers))) !== undefined;
  }
}

/** The account that a person of several accounts names. */
function accountIn(headers: Request['headers']): string | undefined {
  const name = headers['trunkline-account'];
  return typeof name === 'string' ? name : undefined;
}
