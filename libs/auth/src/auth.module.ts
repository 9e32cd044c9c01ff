import { AccountsModule } from '@app/accounts';
import { AuditModule } from '@app/audit';
import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiTokenEntity } from './api-token.entity.js';
import { BearerStrategy } from './bearer.strategy.js';
import { ProxyNoticeService } from './proxy-notice.service.js';
import { RateLimitsService } from './rate-limits.service.js';
import { RateWindowsRepository } from './rate-windows.repository.js';
import { AccessTokensService } from './sign-in/access-tokens.service.js';
import { IssuersService } from './sign-in/issuers.service.js';
import { LogoutTokensService } from './sign-in/logout-tokens.service.js';
import { PeopleAuthenticationService } from './sign-in/people-authentication.service.js';
import { SessionsRepository } from './sign-in/sessions.repository.js';
import { SessionsService } from './sign-in/sessions.service.js';
import { SignInAttemptsRepository } from './sign-in/sign-in-attempts.repository.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { SocketAuthenticationService } from './sign-in/socket-authentication.service.js';
import { SignInTestService } from './sign-in/sign-in-test.service.js';
import { TokenLookupService } from './token-lookup.service.js';
import { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';

/** Bearer tokens, rate limits and sessions: their lookup and administration. Global, because the guards run in every module with routes. */
@Global()
@Module({
  imports: [AccountsModule, AuditModule, TypeOrmModule.forFeature([ApiTokenEntity])],
  providers: [
    ProxyNoticeService,
    RateLimitsService,
    RateWindowsRepository,
    SessionsRepository,
    SessionsService,
    SignInAttemptsRepository,
    TokenLookupService,
    TokensRepository,
    TokensService,
  ],
  exports: [
    ProxyNoticeService,
    RateLimitsService,
    SessionsService,
    SignInAttemptsRepository,
    TokenLookupService,
    TokensService,
  ],
})
export class AuthModule {}

/** Authentication of requests, and sign-in of people. Separate, because it sends requests to issuers: needs `Egress`. */
@Global()
@Module({
  imports: [AccountsModule, AuditModule, AuthModule],
  providers: [
    AccessTokensService,
    BearerStrategy,
    IssuersService,
    LogoutTokensService,
    PeopleAuthenticationService,
    SignInService,
    SignInTestService,
    SocketAuthenticationService,
  ],
  exports: [
    BearerStrategy,
    IssuersService,
    LogoutTokensService,
    PeopleAuthenticationService,
    SignInService,
    SignInTestService,
    SocketAuthenticationService,
  ],
})
export class SignInModule {}
