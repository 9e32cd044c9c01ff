import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CALL_COLUMNS, type CallRow } from '../call.entity.js';

/** Calls per transaction of the sweep. */
export const EXPIRED_BATCH = 50;

/** The connection of a new web call. */
interface NewWebCall {
  callId: string;
  accountId: number;
  tokenHash: Buffer;
  webKeyId: number | null;
  origin: string | null;
  maxSeconds: number | null;
  /** For how long the token opens a connection. */
  tokenSeconds: number;
}

/** What a token opens. */
interface TokenOfCall {
  account_id: number;
  /** Of the page that created the call; null: any page may connect. */
  origin: string | null;
  /** The token opened a connection, or its time is over. */
  used: boolean;
}

/** A web call that is not over, and the dialer that carries it. */
interface LiveWebCall {
  account_id: number;
  /** `host:port`; null: the dialer is gone, or the call is not connected yet. */
  address: string | null;
}

/** The call waits for its page until the end of the token, on the database's clock; then a sweep ends it. */
const INSERT = {
  name: 'insert-web-call',
  text: `WITH connection AS (
      INSERT INTO web_calls (call_id, account_id, token_hash, expires_at, web_key_id, origin, max_seconds)
      VALUES ($1, $2, $3, now() + $7 * interval '1 second', $4, $5, $6) RETURNING call_id, expires_at)
    UPDATE calls SET due_at = connection.expires_at FROM connection WHERE calls.id = connection.call_id RETURNING expires_at`,
};

/** By the token alone: nothing else is known about a page. */
const OF_TOKEN = {
  name: 'web-call-of-token',
  text: `SELECT w.account_id, w.origin, w.connected_at IS NOT NULL OR w.expires_at <= now() OR c.owner IS NOT NULL OR c.ended_at IS NOT NULL AS used
    FROM web_calls w JOIN calls c ON c.id = w.call_id WHERE w.token_hash = $1 AND w.call_id = $2`,
};

/** By the id alone: the resume token is signed for the call. */
const LIVE = {
  name: 'live-web-call',
  text: `SELECT c.account_id, d.internal_address AS address FROM calls c
      LEFT JOIN dialers d ON d.id = c.owner AND d.dead_at IS NULL AND d.lease_until > now()
    WHERE c.id = $1 AND c.channel = 'web' AND c.ended_at IS NULL`,
};

const EXPIRED = {
  name: 'expired-web-calls',
  text: `SELECT ${CALL_COLUMNS} FROM calls
    WHERE due_at <= now() AND channel = 'web' AND owner IS NULL AND ended_at IS NULL
    ORDER BY due_at LIMIT ${EXPIRED_BATCH} FOR UPDATE SKIP LOCKED`,
};

/** The connections of web calls. Prepared: pages wait for them. */
@Injectable()
export class WebCallsRepository {
  constructor(private readonly database: Database) {}

  /** In the transaction that creates the call. @returns when the token ends */
  async insert(call: NewWebCall, tx: Sql): Promise<Date> {
    const { callId, accountId, tokenHash, webKeyId, origin, maxSeconds, tokenSeconds } = call;
    const values = [callId, accountId, tokenHash, webKeyId, origin, maxSeconds, tokenSeconds];
    const [stored] = await this.database.rows<{ expires_at: Date }>(INSERT, values, tx);
    if (!stored) throw new Error('The connection of a web call was not stored.');
    return stored.expires_at;
  }

  async ofToken(callId: string, tokenHash: Buffer): Promise<TokenOfCall | undefined> {
    const values = [tokenHash, callId];
    const [found] = await this.database.rows<TokenOfCall & Record<string, unknown>>(OF_TOKEN, values);
    return found;
  }

  /** Undefined: there is no such call, or it has ended. */
  async live(callId: string): Promise<LiveWebCall | undefined> {
    const [found] = await this.database.rows<LiveWebCall & Record<string, unknown>>(LIVE, [callId]);
    return found;
  }

  /** Locks calls whose token ended unused. */
  lockExpired(tx: Sql): Promise<CallRow[]> {
    return this.database.rows<CallRow>(EXPIRED, [], tx);
  }
}
