import { UnauthorizedException } from '@nestjs/common';

const HOW = 'Send the header "Authorization: Bearer <token>" with a token of your account.';

/**
 * The 401 of a request by its Authorization header. Says what is missing, but not in which way a token is wrong: unknown, expired
 * and revoked ones are not to be told apart.
 */
export function unauthenticated(authorization: string | undefined): UnauthorizedException {
  return new UnauthorizedException(`Unauthenticated. ${problemOf(authorization)} ${HOW}`);
}

function problemOf(authorization: string | undefined): string {
  if (!authorization) return 'The request has no Authorization header.';
  if (!/^Bearer +\S/i.test(authorization))
    return 'The Authorization header does not use the Bearer scheme with a token.';
  return 'The token is unknown, expired or revoked.';
}
