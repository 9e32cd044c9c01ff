import { type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request, Response } from 'express';
import { SESSION_ENDED } from './bearer.strategy.js';
import { ProxyNoticeService } from './proxy-notice.service.js';
import { RateLimitsService } from './rate-limits.service.js';
import type { Principal } from './token-lookup.service.js';

declare global {
  namespace Express {
    // oxlint-disable-next-line typescript/no-empty-object-type -- Express's way of typing request.user
    interface User extends Principal {}
  }
}

/** Unknown, expired and revoked tokens all receive the same 401. A database error is passed on, not reported as a wrong token. */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly proxyNotice: ProxyNoticeService,
  ) {
    super();
  }

  /** Receives the outcome of BearerStrategy. AuthGuard awaits the result. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature of IAuthGuard
  override handleRequest<User>(
    error: unknown,
    user: Principal | false,
    challenge: unknown,
    context: ExecutionContext,
  ): User {
    if (error) throw error;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    return (user ? this.admit(user, request, response) : this.refuse(challenge, request, response)) as User;
  }

  private admit(user: Principal, request: Request, response: Response): Principal | Promise<Principal> {
    // The log names the account of a request that exceeds its limit.
    request.user = user;
    this.proxyNotice.look(request);
    const admitted = this.limits.ofToken(user, response);
    return admitted === true ? user : admitted.then(() => user);
  }

  private async refuse(challenge: unknown, request: Request, response: Response): Promise<never> {
    await this.limits.failed(request, response);
    if (challenge === SESSION_ENDED)
      throw new UnauthorizedException('Unauthenticated. The session has ended. Sign in again.');
    throw unauthenticated(request.headers.authorization);
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
