import { type CanActivate, type ExecutionContext, ForbiddenException, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Scope } from './domain/token.js';

/** Metadata key of the scope that a route needs. */
export const SCOPE = 'scope';

@Injectable()
export class ScopesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const scope = this.reflector.get<Scope>(SCOPE, context.getHandler());
    const { user } = context.switchToHttp().getRequest<Request>();
    if (user?.scopes.includes(scope)) return true;
    const who = user?.person ? `Your role ${user.person.role}` : 'The token';
    throw new ForbiddenException(`${who} lacks the scope ${scope}.`);
  }
}
