import type { Principal } from '@app/accounts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

declare global {
  namespace Express {
    // oxlint-disable-next-line typescript/no-empty-object-type -- Express's way of typing request.user
    interface User extends Principal {}
  }
}

/** The account of the token; every query is scoped by it. */
export const AccountId = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { user } = context.switchToHttp().getRequest<Request>();
  if (!user) throw new Error('@AccountId() stands on a route without @Scopes().');
  return user.accountId;
});
