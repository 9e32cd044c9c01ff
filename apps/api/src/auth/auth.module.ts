import { RateLeases, sharedWindows, TokenLookup } from '@app/accounts';
import type { Env, Log } from '@app/common';
import { Global, Module } from '@nestjs/common';
import { Pool } from 'pg';
import { ENV, LOG } from '@app/settings';
import { BearerStrategy } from './bearer.strategy.js';
import { ProxyNotice } from './proxy-notice.js';
import { RateLimits } from './rate-limits.js';

/** How long a token is believed without asking the database, and with it how long a revocation takes. */
const TOKEN_TTL_MS = 5_000;

/** Global, because the guard of every route that takes a token runs the strategy. */
@Global()
@Module({
  providers: [
    {
      provide: TokenLookup,
      inject: [Pool],
      useFactory: (pool: Pool) => new TokenLookup(pool, { ttlMs: TOKEN_TTL_MS }),
    },
    {
      provide: RateLimits,
      inject: [Pool, TokenLookup, ENV, LOG],
      useFactory: rateLimits,
    },
    {
      provide: ProxyNotice,
      inject: [Pool, ENV, LOG],
      useFactory: (pool: Pool, env: Env, log: Log) => new ProxyNotice(pool, env, log),
    },
    BearerStrategy,
  ],
  exports: [BearerStrategy, ProxyNotice, RateLimits],
})
export class AuthModule {}

function rateLimits(pool: Pool, tokens: TokenLookup, env: Env, log: Log): RateLimits {
  const onError = (err: unknown): void => log.warn({ err }, 'requests could not be counted and were let pass');
  return new RateLimits(new RateLeases({ take: sharedWindows(pool), onError }), tokens, env);
}
