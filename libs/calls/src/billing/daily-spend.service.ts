import { Injectable } from '@nestjs/common';
import type { DailySpend } from './daily-spend.js';
import { DailySpendRepository } from './daily-spend.repository.js';

/** The daily spend of accounts. */
@Injectable()
export class DailySpendService {
  constructor(private readonly spend: DailySpendRepository) {}

  /** undefined: there is no such account. */
  read(accountId: number): Promise<DailySpend | undefined> {
    return this.spend.read(accountId);
  }

  /** Counts costs that are not part of a call; the end of a call counts its own. */
  add(accountId: number, micros: number): Promise<void> {
    return this.spend.add(accountId, micros);
  }
}
