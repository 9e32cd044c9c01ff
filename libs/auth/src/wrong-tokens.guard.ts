import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BearerStrategy } from './bearer.strategy.js';
import { RateLimitsService } from './rate-limits.service.js';

/** Refuses addresses that have sent too many wrong tokens. Runs before BearerGuard, which looks tokens up in the database. */
@Injectable()
export class WrongTokensGuard implements CanActivate {
  constructor(
    private readonly strategy: BearerStrategy,
    private readonly limits: RateLimitsService,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const checked = this.limits.beforeLookup(http.getRequest<Request>(), http.getResponse<Response>(), (request) =>
      this.strategy.mayBeValid(request),
    );
    return checked ? checked.then(() => true) : true;
  }
}
