import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { DailySpend } from './daily-spend.js';

// Prepared: read before every simulation. The day is that of the database's clock.
const READ_SPEND = {
  name: 'daily-spend',
  text: `SELECT (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC' AS resets_at,
      (SELECT micros FROM daily_spend WHERE account_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date) AS spent_micros`,
};

const ADD_SPEND = {
  name: 'add-daily-spend',
  text: `INSERT INTO daily_spend (account_id, day, micros) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2)
    ON CONFLICT (account_id, day) DO UPDATE SET micros = daily_spend.micros + excluded.micros`,
};

@Injectable()
export class DailySpendRepository {
  constructor(private readonly database: Database) {}

  async read(accountId: number): Promise<Omit<DailySpend, 'daily_spend_micros'>> {
    type Found = Omit<DailySpend, 'daily_spend_micros'> & Record<string, unknown>;
    const [found] = await this.database.rows<Found>(READ_SPEND, [accountId]);
    if (!found) throw new Error('The daily spend of an account was not read.');
    return found;
  }

  async add(accountId: number, micros: number, tx?: Sql): Promise<void> {
    if (micros > 0) await this.database.rows(ADD_SPEND, [accountId, micros], tx);
  }
}
