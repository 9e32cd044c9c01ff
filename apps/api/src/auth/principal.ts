import type { Acting } from '@app/audit';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

/** The account of the request's token; every query is scoped by it. */
export const AccountId = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { user } = context.switchToHttp().getRequest<Request>();
  if (!user) throw new Error('@AccountId() stands on a route without @Scopes().');
  return user.accountId;
});

/** Account and actor of a request that changes something, for the audit log, with the `X-Request-Id` of the answer. */
export const Actor = createParamDecorator((_data: unknown, context: ExecutionContext): Acting => {
  const http = context.switchToHttp();
  const { user } = http.getRequest<Request>();
  if (!user) throw new Error('@Actor() stands on a route without @Scopes().');
  const requestId = http.getResponse<Response>().getHeader('X-Request-Id');
  const actor = { kind: 'token' as const, id: String(user.tokenId), requestId: String(requestId) };
  return { accountId: user.accountId, actor };
});
