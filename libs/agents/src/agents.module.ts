import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { Module } from '@nestjs/common';
import { PRICE_BOOK, readPriceBook } from './price-book.js';
import { SummaryModel } from './summary-model.service.js';

/** The prices and the summary model of conversations with agents. */
@Module({
  providers: [
    SummaryModel,
    { provide: PRICE_BOOK, inject: [ENV], useFactory: (env: Env) => readPriceBook(env.PRICE_BOOK) },
  ],
  exports: [SummaryModel, PRICE_BOOK],
})
export class AgentsModule {}
