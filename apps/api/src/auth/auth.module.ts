import { TokenLookup } from '@app/accounts';
import { Global, Module } from '@nestjs/common';
import { Pool } from 'pg';
import { BearerStrategy } from './bearer.strategy.js';

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
    BearerStrategy,
  ],
  exports: [BearerStrategy],
})
export class AuthModule {}
