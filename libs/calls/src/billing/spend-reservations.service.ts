import { AccountLimitsService } from '@app/accounts';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { OwnedCall } from '../domain/call.js';
import { SpendReservationsRepository } from './spend-reservations.repository.js';

/** Calls that could be paid for a shorter time are not dialled. */
const MIN_CALL_SECONDS = 15;

/** The maximum cost of a call. */
interface SpendPlan {
  accountId: number;
  /** Sum of the prices by time: carrier legs, and agents with a price by time. */
  microsPerSecond: number;
  /** The limit of the agent. */
  longestSeconds: number;
}

/** Keeps calls within the daily spend of their account. */
@Injectable()
export class SpendReservationsService {
  constructor(
    private readonly database: Database,
    private readonly reservations: SpendReservationsRepository,
    private readonly limits: AccountLimitsService,
  ) {}

  /**
   * Reserves the maximum cost of a call in the account's daily spend before it is dialled, so that concurrent calls cannot exceed the
   * limit together. Returns the seconds that the call may last: fewer than `longestSeconds` when the rest cannot be paid, 0 when not even
   * the shortest call can; undefined when the call can be paid as soon as other calls end and cost less than they reserved.
   */
  reserve(call: OwnedCall, plan: SpendPlan): Promise<number | undefined> {
    const { accountId, microsPerSecond, longestSeconds } = plan;
    return this.database.transaction(async (tx) => {
      const budget = await this.limits.lockDailySpend(accountId, tx);
      if (budget === null) return longestSeconds;
      const { spent, reserved } = await this.reservations.committedSpend(accountId, call.id, tx);
      const unspent = budget - spent;
      const seconds = affordableSeconds(unspent - reserved, microsPerSecond, longestSeconds);
      if (seconds === 0) return affordableSeconds(unspent, microsPerSecond, longestSeconds) > 0 ? undefined : 0;
      await this.reservations.reserve(call, Math.ceil(seconds * microsPerSecond), tx);
      return seconds;
    });
  }
}

/**
 * Seconds that a call may last for `left` micro-USD; 0 when that is less than the shortest call. A free call may last as long as the
 * agent allows, unless the budget is used up.
 */
export function affordableSeconds(left: number, microsPerSecond: number, longestSeconds: number): number {
  if (left <= 0) return 0;
  const seconds = Math.min(longestSeconds, Math.floor(left / microsPerSecond));
  return seconds >= Math.min(MIN_CALL_SECONDS, longestSeconds) ? seconds : 0;
}
