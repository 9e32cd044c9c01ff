import { isoTime, usd } from '@app/common';
import { rows, type Sql } from '@app/database';

/** What an account may spend in a day (UTC), and has spent today. Amounts in micro-USD, as PostgreSQL's bigint. */
export interface DailySpend {
  /** null: no limit. */
  daily_spend_micros: string | null;
  /** null: nothing. */
  spent_micros: string | null;
  /** When a new day begins. */
  resets_at: Date;
}

const READ = {
  name: 'daily-spend',
  text: `SELECT a.daily_spend_micros, s.micros AS spent_micros,
      (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC' AS resets_at
    FROM accounts a
    LEFT JOIN daily_spend s ON s.account_id = a.id AND s.day = (now() AT TIME ZONE 'UTC')::date
    WHERE a.id = $1`,
};

/** Undefined: there is no such account. */
export async function readDailySpend(sql: Sql, accountId: number): Promise<DailySpend | undefined> {
  const [found] = await rows<DailySpend & Record<string, unknown>>(sql, READ, [accountId]);
  return found;
}

/** A sentence when the day's money is spent. */
export function spendProblem({ daily_spend_micros, spent_micros, resets_at }: DailySpend): string | undefined {
  if (daily_spend_micros === null || Number(spent_micros ?? 0) < Number(daily_spend_micros)) return undefined;
  const limit = usd(Number(daily_spend_micros)).toFixed(2);
  return `The account's daily spend limit of ${limit} USD is reached. It resets at ${isoTime(resets_at)}.`;
}

const ADD = {
  name: 'add-daily-spend',
  text: `INSERT INTO daily_spend (account_id, day, micros) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2)
    ON CONFLICT (account_id, day) DO UPDATE SET micros = daily_spend.micros + excluded.micros`,
};

/** Counts what was spent beside calls, whose end counts their costs itself. */
export async function addDailySpend(sql: Sql, accountId: number, micros: number): Promise<void> {
  if (micros > 0) await rows(sql, ADD, [accountId, micros]);
}
