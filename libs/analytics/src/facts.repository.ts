import type { EventFacts } from '@app/calls';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { CallFacts } from './domain/call-facts.js';
import type { TimeRange } from './domain/intervals.js';

/** Facts with their state. */
export interface StoredFacts extends CallFacts {
  /** The rollups contain them. */
  counted: boolean;
}

/** Only one process counts calls at a time, and one builds rollups, which also takes the lock of counting to store them. */
const LOCKS = { count: 7216061, build: 7216062 } as const;
const TRY_LOCK = { name: 'try-analytics-lock', text: 'SELECT pg_try_advisory_xact_lock($1) AS taken' };
const LOCK = { name: 'analytics-lock', text: `SELECT pg_advisory_xact_lock(${LOCKS.count})` };

const FACTS = `call_id, account_id, agent_id, agent_version, campaign_id, number_id, trunk_id, direction, channel, outcome, cause, answered_by,
  created_at, started_at, answered_at, ended_at, queue_ms, cost_micros, transfers, transfers_connected, response_ms, interruptions,
  tool_calls, tool_failures, searches, search_hits, is_test, rubric, counted`;

const PENDING = {
  name: 'pending-call-facts',
  text: `SELECT ${FACTS} FROM analytics_calls WHERE pending LIMIT $1 FOR UPDATE`,
};

const createdIn = (name: string, condition: string, end: string) => ({
  name,
  text: `SELECT ${FACTS}, created_at::text AS position FROM analytics_calls
    WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 AND (created_at, call_id) > ($4, $5) ${condition}
    ORDER BY created_at, call_id LIMIT $6 ${end}`,
});
const CREATED_IN = createdIn('call-facts-by-creation', '', 'FOR UPDATE');
const COUNTED_IN = createdIn('counted-calls-by-creation', 'AND counted', '');
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const STORE_FACTS = {
  name: 'store-call-facts',
  text: `UPDATE analytics_calls a SET pending = false, counted = true, response_ms = n.response_ms::integer[],
      interruptions = n.interruptions, tool_calls = n.tool_calls, tool_failures = n.tool_failures, searches = n.searches,
      search_hits = n.search_hits, rubric = n.rubric
    FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::integer[],
        $8::jsonb[]) AS n (call_id, response_ms, interruptions, tool_calls, tool_failures, searches, search_hits, rubric)
    WHERE a.call_id = n.call_id`,
};

const NEXT_COUNTED = {
  name: 'next-counted-call',
  text: 'SELECT min(created_at) AS at FROM analytics_calls WHERE account_id = $1 AND created_at >= $2',
};

type Rows = Record<string, unknown>;
/** What calls contribute to the rollups. Prepared: the worker runs these statements for every batch of calls. */
@Injectable()
export class FactsRepository {
  constructor(private readonly database: Database) {}

  /** False: another process has it. */
  async tryLock(name: keyof typeof LOCKS, tx: Sql): Promise<boolean> {
    const [row] = await this.database.rows<{ taken: boolean }>(TRY_LOCK, [LOCKS[name]], tx);
    return row?.taken ?? false;
  }

  /** Waits until no process counts. */
  async lock(tx: Sql): Promise<void> {
    await this.database.rows(LOCK, [], tx);
  }

  pending(limit: number, tx: Sql): Promise<StoredFacts[]> {
    return this.database.rows<StoredFacts & Rows>(PENDING, [limit], tx);
  }

  /** The facts of calls that were created in a span of time, in pages. Locked: they are to be changed. */
  createdIn(accountId: number, range: TimeRange, limit: number, tx: Sql): AsyncGenerator<StoredFacts[]> {
    return this.pages(CREATED_IN, accountId, range, limit, tx);
  }

  /** The facts that the rollups contain, in pages in the order of creation. */
  countedIn(accountId: number, range: TimeRange, limit: number, tx: Sql): AsyncGenerator<StoredFacts[]> {
    return this.pages(COUNTED_IN, accountId, range, limit, tx);
  }

  private async *pages(
    statement: typeof COUNTED_IN,
    accountId: number,
    { from, to }: TimeRange,
    limit: number,
    tx: Sql,
  ): AsyncGenerator<StoredFacts[]> {
    let after = { position: new Date(from).toISOString(), call_id: FIRST_ID };
    for (let page: (StoredFacts & { position: string })[] | undefined; page === undefined || page.length === limit;) {
      const values = [accountId, new Date(from), new Date(to), after.position, after.call_id, limit];
      page = await this.database.rows<StoredFacts & { position: string }>(statement, values, tx);
      if (page.length > 0) yield page;
      after = page.at(-1) ?? after;
    }
  }

  /** Stores facts that the rollups contain from now on. */
  async storeCounted(facts: readonly CallFacts[], tx: Sql): Promise<void> {
    const column = (name: keyof EventFacts): unknown[] => facts.map((one) => one[name]);
    const responses = facts.map(({ response_ms: ms }) => (ms ? `{${ms.join(',')}}` : null));
    const counts = ['interruptions', 'tool_calls', 'tool_failures', 'searches', 'search_hits'] as const;
    const rubrics = facts.map(({ rubric }) => rubric && JSON.stringify(rubric));
    await this.database.rows(STORE_FACTS, [column('call_id'), responses, ...counts.map(column), rubrics], tx);
  }

  /** When the earliest of the counted calls was created that were created from a time on; null: there are none. */
  async nextCounted(accountId: number, from: Date): Promise<Date | null> {
    const [row] = await this.database.rows<{ at: Date | null }>(NEXT_COUNTED, [accountId, from]);
    return row?.at ?? null;
  }
}
