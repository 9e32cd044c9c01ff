import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BearerStrategy } from './bearer.strategy.js';
import { ProxyNoticeService } from './proxy-notice.service.js';
import { RateLimitsService } from './rate-limits.service.js';
import { hasSession, PeopleAuthenticationService } from './sign-in/people-authentication.service.js';
import type { Principal } from './token-lookup.service.js';

declare global {
  namespace Express {
    // oxlint-disable-next-line typescript/no-empty-object-type -- Express's way of typing request.user
    interface User extends Principal {}
  }
}

/** The callbacks that a strategy of Passport reports its outcome to. */
interface Outcome {
  success(user: Principal): void;
  fail(): void;
  error(error: unknown): void;
}

/**
 * Unknown, expired and revoked tokens all receive the same 401. A database error is passed on, not reported as a wrong token.
 * Runs the strategy itself: passport.authenticate() prepares sessions, log-in and redirects at each request, which an API does not
 * use and which cost an eighth of GET one (measured).
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly strategy: BearerStrategy,
    private readonly limits: RateLimitsService,
    private readonly proxyNotice: ProxyNoticeService,
    private readonly people: PeopleAuthenticationService,
  ) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const checked = this.limits.beforeLookup(request, response, (one) => this.strategy.mayBeValid(one));
    return checked ? checked.then(() => this.authenticate(request, response)) : this.authenticate(request, response);
  }

  private authenticate(request: Request, response: Response): Promise<boolean> {
    const { authorization, cookie } = request.headers;
    if (authorization === undefined && cookie !== undefined && hasSession(request))
      return this.authenticateSession(request, response);
    return this.authenticateToken(request, response);
  }

  private async authenticateSession(request: Request, response: Response): Promise<boolean> {
    const user = await this.people.ofSession(request);
    if (!user) {
      await this.limits.failed(request, response);
      throw new UnauthorizedException('Unauthenticated. The session has ended. Sign in again.');
    }
    request.user = user;
    this.proxyNotice.look(request);
    return this.limits.ofToken(user, response);
  }

  private authenticateToken(request: Request, response: Response): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const outcome: Outcome = {
        success: (user) => {
          request.user = user;
          this.proxyNotice.look(request);
          try {
            resolve(this.limits.ofToken(user, response));
          } catch (refused) {
            reject(refused);
          }
        },
        fail: () => {
          this.limits
            .failed(request, response)
            .then(() => reject(unauthenticated(request.headers.authorization)), reject);
        },
        error: reject,
      };
      const attempt = Object.assign(Object.create(this.strategy) as BearerStrategy, outcome);
      attempt.authenticate(request);
    });
  }
}

const HOW = 'Send the header "Authorization: Bearer <token>" with a token of your account.';

/**
 * The 401 of a request by its Authorization header. It names a missing header or scheme, but not why a token is wrong: clients
 * must not be able to tell unknown, expired and revoked ones apart.
 */
const unauthenticated = (authorization: string | undefined): UnauthorizedException =>
  new UnauthorizedException(`Unauthenticated. ${problemOf(authorization)} ${HOW}`);

function problemOf(authorization: string | undefined): string {
  if (!authorization) return 'The request has no Authorization header.';
  if (!/^Bearer +\S/i.test(authorization))
    return 'The Authorization header does not use the Bearer scheme with a token.';
  return 'The token is unknown, expired or revoked.';
}
