import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RateLimits } from './rate-limits.js';

/** For routes that take no token: so many requests a minute from one address. */
@Injectable()
export class AddressGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    return this.limits.ofAddress(http.getRequest<Request>(), http.getResponse<Response>());
  }
}
