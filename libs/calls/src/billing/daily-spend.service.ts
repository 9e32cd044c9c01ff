import { AccountLimitsService } from '@app/accounts';
import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { DailySpend } from './daily-spend.js';
import { DailySpendRepository } from './daily-spend.repository.js';

/** The daily spend of accounts. */
@Injectable()
export class DailySpendService {
  constructor(
    private readonly spend: DailySpendRepository,
    private readonly limits: AccountLimitsService,
  ) {}

  /** undefined: there is no such account. */
  async read(accountId: number): Promise<DailySpend | undefined> {
    const [limit, spent] = await Promise.all([this.limits.dailySpend(accountId), this.spend.read(accountId)]);
    return limit === undefined ? undefined : { daily_spend_micros: limit, ...spent };
  }

  /** Counts costs that are not part of a call; the end of a call counts its own. */
  add(accountId: number, micros: number, tx?: Sql): Promise<void> {
    return this.spend.add(accountId, micros, tx);
  }
}
