import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { OwnedCall } from '../domain/call.js';

/** Runs after the lock. Reads reservations of live calls and costs of ended calls in one snapshot: the end of a call moves money from one to the other. */
const COMMITTED_SPEND = {
  name: 'spend-taken',
  text: `SELECT coalesce((SELECT micros FROM daily_spend WHERE account_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date), 0) AS spent,
      coalesce((SELECT sum(reserved_micros) FROM calls
          WHERE account_id = $1 AND owner IS NOT NULL AND ended_at IS NULL AND id <> $2), 0) AS reserved`,
};

const RESERVE = {
  name: 'spend-reserve',
  text: 'UPDATE calls SET reserved_micros = $3 WHERE id = $1 AND owner = $2 AND ended_at IS NULL',
};

/** What live calls may cost. Prepared: each call whose cost is limited runs them before it is dialled. */
@Injectable()
export class SpendReservationsRepository {
  constructor(private readonly database: Database) {}

  /** Micro-USD that the account has spent today, and the reservations of its other live calls. */
  async committedSpend(accountId: number, callId: string, tx: Sql): Promise<{ spent: number; reserved: number }> {
    const values = [accountId, callId];
    const [found] = await this.database.rows<{ spent: string; reserved: string }>(COMMITTED_SPEND, values, tx);
    return { spent: Number(found?.spent ?? 0), reserved: Number(found?.reserved ?? 0) };
  }

  async reserve({ id, owner }: OwnedCall, micros: number, tx: Sql): Promise<void> {
    await this.database.rows(RESERVE, [id, owner, micros], tx);
  }
}
