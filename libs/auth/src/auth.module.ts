import { AccountsModule } from '@app/accounts';
import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiTokenEntity } from './api-token.entity.js';
import { BearerStrategy } from './bearer.strategy.js';
import { ProxyNoticeService } from './proxy-notice.service.js';
import { RateLimitsService } from './rate-limits.service.js';
import { RateWindowEntity } from './rate-window.entity.js';
import { RateWindowsRepository } from './rate-windows.repository.js';
import { TokenLookup } from './token-lookup.service.js';
import { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';

/** Bearer tokens: strategy, guards, rate limits and administration. Global, because the guards run in every module with routes. */
@Global()
@Module({
  imports: [AccountsModule, TypeOrmModule.forFeature([ApiTokenEntity, RateWindowEntity])],
  providers: [
    BearerStrategy,
    ProxyNoticeService,
    RateLimitsService,
    RateWindowsRepository,
    TokenLookup,
    TokensRepository,
    TokensService,
  ],
  exports: [BearerStrategy, ProxyNoticeService, RateLimitsService, TokenLookup, TokensService],
})
export class AuthModule {}
