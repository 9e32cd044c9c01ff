import type { ActingTenant } from '@app/accounts';
import type { Acting } from '@app/audit';
import { BearerGuard, type Scope, SCOPE, ScopesGuard, WrongTokensGuard } from '@app/auth';
import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../http/responses/api-errors.js';
import { BodyGuard } from '../http/server/body.guard.js';

/** The account of the request's token; every query is scoped by it. */
export const AccountId = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { user } = context.switchToHttp().getRequest<Request>();
  if (!user) throw new Error('@AccountId() is used on a route without @Scopes().');
  return user.accountId;
});

/** Account and actor of a request that changes something, for the audit log, with the `X-Request-Id` of the response. */
export const Actor = createParamDecorator((_data: unknown, context: ExecutionContext): Acting => actorOf(context));

function actorOf(context: ExecutionContext): Acting {
  const http = context.switchToHttp();
  const { user } = http.getRequest<Request>();
  if (!user) throw new Error('@Actor() is used on a route without @Scopes().');
  const requestId = http.getResponse<Response>().getHeader('X-Request-Id');
  const who = user.person
    ? { kind: 'person' as const, id: String(user.person.id) }
    : { kind: 'token' as const, id: String(user.tokenId) };
  return { accountId: user.accountId, actor: { ...who, requestId: String(requestId) } };
}

/** `Actor` with the rights of its token, for changes that operators may make further than tenants. */
export const TenantActor = createParamDecorator((_data: unknown, context: ExecutionContext): ActingTenant => {
  const acting = actorOf(context);
  const { user } = context.switchToHttp().getRequest<Request>();
  return { ...acting, isOperator: user?.scopes.includes('account:write') ?? false };
});

/** Access tokens of an OpenID Connect issuer, beside tokens of the account. */
export const ApiOpenId = (): MethodDecorator & ClassDecorator => ApiSecurity('openid');

/** Requires a bearer token, or a person, with this scope. */
export const Scopes = (scope: Scope): MethodDecorator =>
  applyDecorators(
    SetMetadata(SCOPE, scope),
    UseGuards(WrongTokensGuard, BearerGuard, ScopesGuard, BodyGuard),
    ApiBearerAuth(),
    ApiOpenId(),
    ApiExtension('x-scope', scope),
    ApiErrors(401, [403, componentOf(scope), `The token lacks the scope ${scope}.`], 429),
  );

/** `calls:write` -> `NeedsCallsWrite` */
const componentOf = (scope: Scope): string =>
  `Needs${scope
    .split(':')
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('')}`;
