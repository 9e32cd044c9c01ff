export { AddressGuard } from './address.guard.js';
export { AuthModule } from './auth.module.js';
export { BearerGuard } from './bearer.guard.js';
export { hashToken, newToken, parseScopes, type Scope, SCOPES, tokenHint } from './domain/token.js';
export { limitedAddress, RateLimitsService } from './rate-limits.service.js';
export { SCOPE, ScopesGuard } from './scopes.guard.js';
export { type Principal, type TokenCacheOptions, TokenLookup } from './token-lookup.service.js';
export { type TokenRow, TokensRepository } from './tokens.repository.js';
export { MAX_OVERLAP_MINUTES, TokensService, type TokenView } from './tokens.service.js';
