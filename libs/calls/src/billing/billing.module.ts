import { AccountLookupsModule } from '@app/accounts';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { Module } from '@nestjs/common';
import { DailySpendRepository } from './daily-spend.repository.js';
import { DailySpendService } from './daily-spend.service.js';
import { PRICE_BOOK, readPriceBook } from './price-book.js';

/** What accounts have spent today. */
@Module({
  imports: [AccountLookupsModule],
  providers: [DailySpendRepository, DailySpendService],
  exports: [DailySpendService],
})
export class DailySpendModule {}

/** The prices of the installation. A process with an unusable price book does not start. */
@Module({
  providers: [{ provide: PRICE_BOOK, inject: [ENV], useFactory: (env: Env) => readPriceBook(env.PRICE_BOOK) }],
  exports: [PRICE_BOOK],
})
export class PriceBookModule {}
