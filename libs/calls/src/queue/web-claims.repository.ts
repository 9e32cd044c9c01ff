import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CALL_COLUMNS, type CallRow } from '../call.entity.js';

/** The limits that decide about a web call. */
export interface WebRoom {
  account_free: boolean;
  /** Of its key; true without one. */
  key_free: boolean;
  funded: boolean;
}

const ACCOUNT = {
  name: 'account-of-waiting-web-call',
  text: `SELECT account_id FROM calls WHERE id = $1 AND channel = 'web' AND owner IS NULL AND ended_at IS NULL`,
};

/** As that of inbound calls, without a trunk. Under the lock of the account, while a page waits. */
const ROOM = {
  name: 'room-of-web-call',
  text: `SELECT (SELECT count(*) FROM calls c WHERE c.account_id = a.id AND c.owner IS NOT NULL AND c.ended_at IS NULL)
        < a.concurrent_calls AS account_free,
      k.id IS NULL OR (SELECT count(*) FROM calls c JOIN web_calls o ON o.call_id = c.id
        WHERE c.account_id = a.id AND c.owner IS NOT NULL AND c.ended_at IS NULL AND o.web_key_id = k.id) < k.concurrent_calls AS key_free,
      a.daily_spend_micros IS NULL OR coalesce((SELECT s.micros FROM daily_spend s
        WHERE s.account_id = a.id AND s.day = (now() AT TIME ZONE 'UTC')::date), 0) < a.daily_spend_micros AS funded
    FROM web_calls w JOIN accounts a ON a.id = w.account_id LEFT JOIN web_keys k ON k.id = w.web_key_id
    WHERE w.call_id = $1 AND w.connected_at IS NULL`,
};

const CLAIM = {
  name: 'claim-web-call',
  text: `WITH claimed AS (
      UPDATE calls SET owner = $2, due_at = NULL WHERE id = $1 AND channel = 'web' AND owner IS NULL AND ended_at IS NULL RETURNING *),
    connected AS (UPDATE web_calls SET connected_at = now() WHERE call_id IN (SELECT id FROM claimed))
    SELECT ${CALL_COLUMNS} FROM claimed`,
};

/** Web calls that wait for their page. Prepared: the page waits. */
@Injectable()
export class WebClaimsRepository {
  constructor(private readonly database: Database) {}

  /** Undefined: the call does not exist, is connected, or has ended. */
  async accountOf(callId: string): Promise<number | undefined> {
    const [found] = await this.database.rows<{ account_id: number }>(ACCOUNT, [callId]);
    return found?.account_id;
  }

  /** Undefined: the call is connected. */
  async room(callId: string, tx: Sql): Promise<WebRoom | undefined> {
    const [room] = await this.database.rows<WebRoom & Record<string, unknown>>(ROOM, [callId], tx);
    return room;
  }

  /** Undefined: another dialer was first, or the call has ended. */
  async claim({ id, owner }: { id: string; owner: string }, tx: Sql): Promise<CallRow | undefined> {
    const [row] = await this.database.rows<CallRow & Record<string, unknown>>(CLAIM, [id, owner], tx);
    return row;
  }
}
