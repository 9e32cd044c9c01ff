import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** A call of an account, and the dialer that carries it. */
export interface CarriedCall {
  /** A dialer carries it; only that knows whether somebody talks on it. */
  is_live: boolean;
  /** `host:port` of the dialer's internal server; null: the dialer is gone. */
  address: string | null;
}

const FIND = {
  name: 'live-call',
  text: `SELECT c.owner IS NOT NULL AND c.ended_at IS NULL AS is_live, d.internal_address AS address FROM calls c
      LEFT JOIN dialers d ON d.id = c.owner AND d.dead_at IS NULL AND d.lease_until > now()
    WHERE c.id = $1 AND c.account_id = $2`,
};

/** Prepared: people wait for it, by the primary keys. */
@Injectable()
export class LiveCallsRepository {
  constructor(private readonly database: Database) {}

  /** Undefined: the account has no such call. */
  async find(accountId: number, callId: string): Promise<CarriedCall | undefined> {
    const [found] = await this.database.rows<CarriedCall & Record<string, unknown>>(FIND, [callId, accountId]);
    return found;
  }
}
