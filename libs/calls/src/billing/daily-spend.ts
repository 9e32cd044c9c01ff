import { isoTime, usd } from '@app/common';

/** The daily limit (UTC) of an account and its spend today. Micro-USD, as PostgreSQL's bigint. */
export interface DailySpend {
  /** null: no limit. */
  daily_spend_micros: string | null;
  /** null: nothing. */
  spent_micros: string | null;
  /** The beginning of the next day. */
  resets_at: Date;
}

/** An error message when the daily limit is reached. */
export function spendProblem({ daily_spend_micros, spent_micros, resets_at }: DailySpend): string | undefined {
  if (daily_spend_micros === null || Number(spent_micros ?? 0) < Number(daily_spend_micros)) return undefined;
  const limit = usd(Number(daily_spend_micros)).toFixed(2);
  return `The account's daily spend limit of ${limit} USD is reached. It resets at ${isoTime(resets_at)}.`;
}
