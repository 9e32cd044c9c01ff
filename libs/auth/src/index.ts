export { AddressGuard } from './address.guard.js';
export { AuthModule, SignInModule } from './auth.module.js';
export { BearerGuard } from './bearer.guard.js';
export { hashToken, newToken, parseScopes, type Scope, SCOPES, tokenHint } from './domain/token.js';
export { toLimitedAddress, RateLimitsService } from './rate-limits.service.js';
export { SCOPE, ScopesGuard } from './scopes.guard.js';
export { Issuer } from './sign-in/issuer.js';
export { IssuersService } from './sign-in/issuers.service.js';
export { LogoutTokensService } from './sign-in/logout-tokens.service.js';
export {
  cookieOf,
  PeopleAuthenticationService,
  requireConsole,
  SESSION_COOKIE,
} from './sign-in/people-authentication.service.js';
export { SessionsService, type SessionView } from './sign-in/sessions.service.js';
export {
  keepsSessions,
  SIGN_IN_CHECKS,
  SIGN_IN_RESULTS,
  type SignInCheck,
  SignInTestService,
} from './sign-in/sign-in-test.service.js';
export { SignInProblem, type SignInProblemCode, SignInService } from './sign-in/sign-in.service.js';
export { SocketAuthenticationService } from './sign-in/socket-authentication.service.js';
export { type Principal, type TokenCacheOptions, TokenLookupService } from './token-lookup.service.js';
export { TokensRepository } from './tokens.repository.js';
export { MAX_OVERLAP_MINUTES, type TokenRow, TokensService, type TokenView } from './tokens.service.js';
export { WrongTokensGuard } from './wrong-tokens.guard.js';
