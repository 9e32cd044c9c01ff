import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { DailySpend } from './daily-spend.js';

// Prepared: read before every simulation. The day is that of the database's clock.
const READ_SPEND = {
  name: 'daily-spend',
  text: `SELECT a.daily_spend_micros, s.micros AS spent_micros,
      (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC' AS resets_at
    FROM accounts a
    LEFT JOIN daily_spend s ON s.account_id = a.id AND s.day = (now() AT TIME ZONE 'UTC')::date
    WHERE a.id = $1`,
};

const ADD_SPEND = {
  name: 'add-daily-spend',
  text: `INSERT INTO daily_spend (account_id, day, micros) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2)
    ON CONFLICT (account_id, day) DO UPDATE SET micros = daily_spend.micros + excluded.micros`,
};

@Injectable()
export class DailySpendRepository {
  constructor(private readonly database: Database) {}

  async read(accountId: number): Promise<DailySpend | undefined> {
    const [found] = await this.database.rows<DailySpend & Record<string, unknown>>(READ_SPEND, [accountId]);
    return found;
  }

  async add(accountId: number, micros: number): Promise<void> {
    if (micros > 0) await this.database.rows(ADD_SPEND, [accountId, micros]);
  }
}
