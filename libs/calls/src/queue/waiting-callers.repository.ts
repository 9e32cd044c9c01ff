import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { OwnedCall } from '../domain/call.js';
import type { WaitingCaller } from '../domain/inbound-front.js';

interface OwnedCaller extends WaitingCaller {
  /** Its dialer. */
  owner: string;
  /** It has left the queue without a place, and talks to a person: it has no turn, but the limits still count it. */
  hasLeft: boolean;
}

const WAITS = 'queued_at IS NOT NULL AND served_at IS NULL AND ended_at IS NULL';

const LINE = {
  name: 'waiting-callers',
  text: `SELECT id, trunk_id AS "trunkId", owner, queue_left_at IS NOT NULL AS "hasLeft" FROM calls WHERE account_id = $1 AND ${WAITS} ORDER BY queued_at, id`,
};

const OF_NUMBER = {
  name: 'waiting-callers-of-number',
  text: `SELECT count(*)::int AS waiting FROM calls WHERE account_id = $1 AND number_id = $2 AND ${WAITS} AND queue_left_at IS NULL`,
};

const SERVE = {
  name: 'serve-waiting-callers',
  text: `UPDATE calls SET served_at = now() WHERE id = ANY ($2::uuid[]) AND owner = $1 AND ${WAITS} AND queue_left_at IS NULL`,
};

const LEAVE = {
  name: 'waiting-caller-leaves',
  text: `UPDATE calls SET queue_left_at = now() WHERE id = $1 AND owner = $2 AND ${WAITS} RETURNING 1 AS has_left`,
};

const SERVED = {
  name: 'served-callers',
  text: 'SELECT id FROM calls WHERE id = ANY ($2::uuid[]) AND owner = $1 AND served_at IS NOT NULL AND ended_at IS NULL',
};

/** Callers that wait for a free place. Prepared: each dialer with waiting callers reads its accounts every second. */
@Injectable()
export class WaitingCallersRepository {
  constructor(private readonly database: Database) {}

  /** In order of arrival; as many as the dialers have calls, at most. */
  ofAccount(accountId: number, tx?: Sql): Promise<OwnedCaller[]> {
    return this.database.rows<OwnedCaller & Record<string, unknown>>(LINE, [accountId], tx);
  }

  async countOfNumber(accountId: number, numberId: number, tx: Sql): Promise<number> {
    const [found] = await this.database.rows<{ waiting: number }>(OF_NUMBER, [accountId, numberId], tx);
    return found?.waiting ?? 0;
  }

  async serve(owner: string, callIds: readonly string[], tx: Sql): Promise<void> {
    await this.database.rows(SERVE, [owner, callIds], tx);
  }

  /** False: the caller got its place, its call has ended, or another dialer has it. */
  async leave({ id, owner }: OwnedCall): Promise<boolean> {
    return (await this.database.rows(LEAVE, [id, owner])).length > 0;
  }

  /** The live calls of a dialer among some calls that have their place. */
  async served(owner: string, callIds: readonly string[]): Promise<string[]> {
    return (await this.database.rows<{ id: string }>(SERVED, [owner, callIds])).map(({ id }) => id);
  }
}
