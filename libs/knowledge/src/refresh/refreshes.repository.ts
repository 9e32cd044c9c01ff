import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

/** A knowledge base whose refresh is due. */
interface DueRefresh {
  id: number;
  refresh_schedule: string;
}

/** A refresh that has begun. */
interface BegunRefresh {
  knowledge_base_id: number;
  account_id: number;
  generation: number;
}

/** Accounts take turns: a loose index scan finds them, and only as many rows of each are read as may begin. */
const LOCK_DUE = {
  name: 'lock-due-refreshes',
  text: `WITH RECURSIVE accounts AS (
      (SELECT account_id FROM knowledge_bases WHERE next_refresh_at IS NOT NULL ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT (SELECT k.account_id FROM knowledge_bases k WHERE k.next_refresh_at IS NOT NULL AND k.account_id > a.account_id
               ORDER BY k.account_id LIMIT 1)
        FROM accounts a WHERE a.account_id IS NOT NULL),
    due AS (
      SELECT d.id, d.place FROM accounts a CROSS JOIN LATERAL (
        SELECT k.id, row_number() OVER (ORDER BY k.next_refresh_at, k.id) AS place FROM knowledge_bases k
         WHERE k.account_id = a.account_id AND k.next_refresh_at <= now() ORDER BY k.next_refresh_at, k.id LIMIT $1) d)
    SELECT k.id, k.refresh_schedule FROM due d JOIN knowledge_bases k ON k.id = d.id
     WHERE k.next_refresh_at <= now() ORDER BY d.place, k.id LIMIT $1 FOR NO KEY UPDATE OF k SKIP LOCKED`,
};

/** One that is being processed, or inactive, only gets its next time. */
const BEGIN = {
  name: 'begin-refreshes',
  text: `WITH due AS (
      SELECT k.id, n.next, k.is_active AND k.status IN ('completed', 'failed') AS begins
        FROM unnest($1::integer[], $2::timestamptz[]) AS n (id, next) JOIN knowledge_bases k ON k.id = n.id),
    later AS (UPDATE knowledge_bases k SET next_refresh_at = d.next FROM due d WHERE k.id = d.id AND NOT d.begins)
    UPDATE knowledge_bases k SET next_refresh_at = d.next, status = 'pending', refreshing = true, generation = k.generation + 1,
        attempt = 0, progress = 0, stage = NULL, next_attempt_at = now()
      FROM due d WHERE k.id = d.id AND d.begins
    RETURNING k.id AS knowledge_base_id, k.account_id, k.generation`,
};

@Injectable()
export class RefreshesRepository {
  constructor(private readonly database: Database) {}

  lockDue(limit: number, tx: Sql): Promise<DueRefresh[]> {
    return this.database.rows<DueRefresh & Record<string, unknown>>(LOCK_DUE, [limit], tx);
  }

  begin(due: readonly { id: number; next: Date }[], tx: Sql): Promise<BegunRefresh[]> {
    const columns = [due.map(({ id }) => id), due.map(({ next }) => next)];
    return this.database.rows<BegunRefresh & Record<string, unknown>>(BEGIN, columns, tx);
  }
}
