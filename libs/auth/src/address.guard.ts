import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RateLimitsService } from './rate-limits.service.js';

/** Limits the requests per minute of one address, for routes that take no token. */
@Injectable()
export class AddressGuard implements CanActivate {
  constructor(private readonly limits: RateLimitsService) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    return this.limits.ofAddress(http.getRequest<Request>(), http.getResponse<Response>());
  }
}
