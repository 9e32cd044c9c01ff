import { TokenLookup } from '@app/accounts';
import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { Pool } from 'pg';
import { BearerStrategy } from './bearer.strategy.js';

/** How long a token is believed without asking the database, and with it how long a revocation takes. */
const TOKEN_TTL_MS = 5_000;

@Module({
  imports: [PassportModule],
  providers: [
    {
      provide: TokenLookup,
      inject: [Pool],
      useFactory: (pool: Pool) => new TokenLookup(pool, { ttlMs: TOKEN_TTL_MS }),
    },
    BearerStrategy,
  ],
})
export class AuthModule {}
