import type { Principal } from '@app/accounts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BearerStrategy } from './bearer.strategy.js';
import { ProxyNotice } from './proxy-notice.js';
import { RateLimits } from './rate-limits.js';
import { unauthenticated } from './unauthenticated.js';

/** How a strategy of Passport says what came out; whoever runs it gives it these. */
interface Outcome {
  success(user: Principal): void;
  fail(): void;
  error(error: unknown): void;
}

/**
 * Unknown, expired and revoked tokens have one answer. A failing database is no wrong token: it is thrown on.
 * Runs the strategy itself: sessions, log-in and redirects, which passport.authenticate() prepares for at each request, cost an
 * eighth of GET one (measured) and are none of an API's business.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly strategy: BearerStrategy,
    private readonly limits: RateLimits,
    private readonly proxyNotice: ProxyNotice,
  ) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const checked = this.limits.beforeLookup(request, response);
    return checked ? checked.then(() => this.authenticate(request, response)) : this.authenticate(request, response);
  }

  private authenticate(request: Request, response: Response): Promise<boolean> {
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
