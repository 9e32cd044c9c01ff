import type { Principal } from '@app/accounts';
import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import type { Request } from 'express';
import { BearerStrategy } from './bearer.strategy.js';

/** How a strategy of Passport says what came out; whoever runs it gives it these. */
interface Outcome {
  success(user: Principal): void;
  fail(): void;
  error(error: unknown): void;
}

/**
 * One answer for every way a token can be wrong. A failing database is no wrong token: it is thrown on.
 * Runs the strategy itself: sessions, log-in and redirects, which passport.authenticate() prepares for at each request, cost an
 * eighth of GET one (measured) and are none of an API's business.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly strategy: BearerStrategy) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    return new Promise((resolve, reject) => {
      const outcome: Outcome = {
        success: (user) => {
          request.user = user;
          resolve(true);
        },
        fail: () => reject(new UnauthorizedException('Unauthenticated.')),
        error: reject,
      };
      const attempt = Object.assign(Object.create(this.strategy) as BearerStrategy, outcome);
      attempt.authenticate(request);
    });
  }
}
