import { analyticsInsert } from '@app/calls';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { binsFrom, binsText } from './domain/bins.js';
import { andTests, FULL, KEY_COLUMNS, KEY_NAMES, type RollupKey } from './domain/dimensions.js';
import { HISTOGRAMS, SUMS } from './domain/metrics.js';
import type { CallFacts, Measures, RollupRow } from './domain/rollup-rows.js';

/** Facts with their state. */
export interface StoredFacts extends CallFacts {
  /** The rollups contain them. */
  counted: boolean;
}

/** What the events of a call contribute. */
export type EventFacts = Pick<
  CallFacts,
  'call_id' | 'response_ms' | 'interruptions' | 'tool_calls' | 'tool_failures' | 'searches' | 'search_hits'
>;

/** Only one process changes rollups at a time: they are few rows that every change would wait for. */
const TRY_LOCK = { name: 'try-analytics-lock', text: 'SELECT pg_try_advisory_xact_lock(7216061) AS taken' };
const LOCK = { name: 'analytics-lock', text: 'SELECT pg_advisory_xact_lock(7216061)' };

const FACTS = `call_id, account_id, agent_id, agent_version, campaign_id, number_id, trunk_id, direction, outcome, cause, answered_by,
  created_at, started_at, answered_at, ended_at, queue_ms, cost_micros, transfers, transfers_connected, response_ms, interruptions,
  tool_calls, tool_failures, searches, search_hits, is_test, rubric, counted`;

const PENDING = {
  name: 'pending-call-facts',
  text: `SELECT ${FACTS} FROM analytics_calls WHERE pending LIMIT $1 FOR UPDATE`,
};

const CREATED_IN = {
  name: 'call-facts-by-creation',
  text: `SELECT ${FACTS} FROM analytics_calls
    WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 AND (created_at, call_id) > ($4, $5)
    ORDER BY created_at, call_id LIMIT $6 FOR UPDATE`,
};

const ADD_MISSING = {
  name: 'add-missing-call-facts',
  text: analyticsInsert(
    '(SELECT * FROM calls WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 AND ended_at IS NOT NULL) AS ended',
  ),
};

const SEARCH = `data ->> 'name' = 'search_knowledge_base'`;
const HAS_RESULTS = `CASE WHEN jsonb_typeof(data -> 'result' -> 'results') = 'array'
  THEN jsonb_array_length(data -> 'result' -> 'results') > 0 ELSE false END`;

/** Calls whose transcript was deleted, or that were deleted, are left out: what was counted stays. */
const EVENTS = {
  name: 'facts-of-call-events',
  text: `SELECT c.id AS call_id,
      array_agg(round((e.data -> 'latency' ->> 'heard_ms')::numeric)::integer ORDER BY e.seq)
        FILTER (WHERE e.type = 'turn' AND e.data -> 'latency' ->> 'heard_ms' IS NOT NULL) AS response_ms,
      (count(*) FILTER (WHERE e.type = 'interrupted' AND e.data ->> 'by' IN ('speech', 'dtmf', 'provider')))::integer AS interruptions,
      (count(*) FILTER (WHERE e.type = 'tool_call' AND NOT ${SEARCH}))::integer AS tool_calls,
      (count(*) FILTER (WHERE e.type = 'tool_call' AND NOT ${SEARCH} AND e.data -> 'ok' = 'false'))::integer AS tool_failures,
      (count(*) FILTER (WHERE e.type = 'tool_call' AND ${SEARCH}))::integer AS searches,
      (count(*) FILTER (WHERE e.type = 'tool_call' AND ${SEARCH} AND ${HAS_RESULTS}))::integer AS search_hits
    FROM calls c LEFT JOIN call_events e ON e.call_id = c.id AND e.type IN ('turn', 'interrupted', 'tool_call')
    WHERE c.id = ANY ($1::uuid[]) AND c.transcript_deleted_at IS NULL GROUP BY c.id`,
};

const STORE_FACTS = {
  name: 'store-call-facts',
  text: `UPDATE analytics_calls a SET pending = false, counted = true, response_ms = n.response_ms::integer[],
      interruptions = n.interruptions, tool_calls = n.tool_calls, tool_failures = n.tool_failures, searches = n.searches,
      search_hits = n.search_hits, rubric = n.rubric
    FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::integer[],
        $8::jsonb[]) AS n (call_id, response_ms, interruptions, tool_calls, tool_failures, searches, search_hits, rubric)
    WHERE a.call_id = n.call_id`,
};

const KEYS = ['account_id', 'zone_id', 'cuboid', 'bucket', ...KEY_NAMES];
const COLUMNS = [...KEYS, ...SUMS, ...HISTOGRAMS];
const TYPES = [
  ...['integer', 'integer', 'integer', 'timestamptz'],
  ...KEY_NAMES.map((column) => KEY_COLUMNS[column]),
  ...SUMS.map(() => 'bigint'),
  ...HISTOGRAMS.map(() => 'text'),
];
const VALUES = COLUMNS.map((column) =>
  (HISTOGRAMS as readonly string[]).includes(column) ? `${column}::integer[]` : column,
);

const ADD = {
  name: 'add-to-rollups',
  text: `INSERT INTO analytics_rollups AS r (${COLUMNS.join(', ')})
    SELECT ${VALUES.join(', ')} FROM unnest(${TYPES.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})
      AS n (${COLUMNS.join(', ')})
    ON CONFLICT (${KEYS.join(', ')}) DO UPDATE SET
      ${SUMS.map((sum) => `${sum} = r.${sum} + excluded.${sum}`).join(', ')},
      ${HISTOGRAMS.map((bins) => `${bins} = add_bins(r.${bins}, excluded.${bins})`).join(', ')}`,
};

const REMOVE = {
  name: 'remove-rollups',
  text: 'DELETE FROM analytics_rollups WHERE account_id = $1 AND zone_id = $2 AND bucket >= $3 AND bucket < $4',
};

const FINEST = {
  name: 'finest-rollups',
  text: `SELECT bucket, cuboid <> ${FULL} AS is_test, ${KEY_NAMES.join(', ')}, ${SUMS.join(', ')}, ${HISTOGRAMS.map((bins) => `${bins}::text`).join(', ')}
    FROM analytics_rollups WHERE account_id = $1 AND zone_id = 0 AND cuboid IN (${andTests(FULL).join(', ')})
      AND bucket >= $2 AND bucket < $3`,
};

/** The earliest call or facts from a time on; null: there are none. */
const NEXT_CALL = {
  name: 'next-call-to-count',
  text: `SELECT least(
      (SELECT min(created_at) FROM calls WHERE account_id = $1 AND created_at >= $2),
      (SELECT min(created_at) FROM analytics_calls WHERE account_id = $1 AND created_at >= $2)) AS at`,
};

const ACCOUNTS = { name: 'accounts-to-rebuild', text: 'SELECT id FROM accounts WHERE id > $1 ORDER BY id LIMIT 100' };

type Rows = Record<string, unknown>;
interface FinestRow extends Measures {
  bucket: number;
  isTest: boolean;
  key: RollupKey;
}

/** Changes facts and rollups. Prepared: the worker runs them for every batch of calls. */
@Injectable()
export class RollupsRepository {
  constructor(private readonly database: Database) {}

  /** False: another process changes rollups. */
  async tryLock(tx: Sql): Promise<boolean> {
    const [row] = await this.database.rows<{ taken: boolean }>(TRY_LOCK, [], tx);
    return row?.taken ?? false;
  }

  async lock(tx: Sql): Promise<void> {
    await this.database.rows(LOCK, [], tx);
  }

  pending(limit: number, tx: Sql): Promise<StoredFacts[]> {
    return this.database.rows<StoredFacts & Rows>(PENDING, [limit], tx);
  }

  /** A page of the facts of calls that were created in a span of time, after the fact `after`. */
  createdIn(
    accountId: number,
    { from, to }: { from: Date; to: Date },
    after: Pick<StoredFacts, 'created_at' | 'call_id'>,
    limit: number,
    tx: Sql,
  ): Promise<StoredFacts[]> {
    const values = [accountId, from, to, after.created_at, after.call_id, limit];
    return this.database.rows<StoredFacts & Rows>(CREATED_IN, values, tx);
  }

  /** Adds the facts of ended calls that have none: those of earlier releases. */
  async addMissing(accountId: number, { from, to }: { from: Date; to: Date }, tx: Sql): Promise<void> {
    await this.database.rows(ADD_MISSING, [accountId, from, to], tx);
  }

  async eventFacts(callIds: readonly string[], tx: Sql): Promise<Map<string, EventFacts>> {
    const found = await this.database.rows<EventFacts & Rows>(EVENTS, [callIds], tx);
    return new Map(found.map((facts) => [facts.call_id, facts]));
  }

  /** Stores facts that the rollups contain from now on. */
  async storeCounted(facts: readonly CallFacts[], tx: Sql): Promise<void> {
    const column = (name: keyof EventFacts): unknown[] => facts.map((one) => one[name]);
    const responses = facts.map(({ response_ms: ms }) => (ms ? `{${ms.join(',')}}` : null));
    const counts = ['interruptions', 'tool_calls', 'tool_failures', 'searches', 'search_hits'] as const;
    const rubrics = facts.map(({ rubric }) => rubric && JSON.stringify(rubric));
    await this.database.rows(STORE_FACTS, [column('call_id'), responses, ...counts.map(column), rubrics], tx);
  }

  /** Adds rows to those that are there. */
  async add(rows: readonly RollupRow[], tx: Sql): Promise<void> {
    for (let from = 0; from < rows.length; from += 5_000)
      await this.database.rows(ADD, columnsOf(rows.slice(from, from + 5_000)), tx);
  }

  async remove(accountId: number, zoneId: number, { from, to }: { from: Date; to: Date }, tx: Sql): Promise<void> {
    await this.database.rows(REMOVE, [accountId, zoneId, from, to], tx);
  }

  /** The rows of the finest grouping, per quarter of an hour. */
  async finest(accountId: number, { from, to }: { from: Date; to: Date }, tx: Sql): Promise<FinestRow[]> {
    const found = await this.database.rows<Rows & { bucket: Date; is_test: boolean }>(
      FINEST,
      [accountId, from, to],
      tx,
    );
    return found.map((row) => ({
      bucket: row.bucket.getTime(),
      isTest: row.is_test,
      key: Object.fromEntries(KEY_NAMES.map((name) => [name, row[name]])) as unknown as RollupKey,
      sums: Object.fromEntries(SUMS.map((sum) => [sum, Number(row[sum])])),
      bins: Object.fromEntries(HISTOGRAMS.map((name) => [name, binsFrom(row[name] as string | null)])),
    }));
  }

  async nextCall(accountId: number, from: Date): Promise<Date | null> {
    const [row] = await this.database.rows<{ at: Date | null }>(NEXT_CALL, [accountId, from]);
    return row?.at ?? null;
  }

  async accountsAfter(id: number): Promise<number[]> {
    return (await this.database.rows<{ id: number }>(ACCOUNTS, [id])).map((row) => row.id);
  }
}

const columnsOf = (rows: readonly RollupRow[]): unknown[][] => [
  rows.map((row) => row.accountId),
  rows.map((row) => row.zoneId),
  rows.map((row) => row.cuboid),
  rows.map((row) => new Date(row.bucket)),
  ...KEY_NAMES.map((name) => rows.map((row) => row.key[name])),
  ...SUMS.map((sum) => rows.map((row) => row.sums[sum] ?? 0)),
  ...HISTOGRAMS.map((name) => rows.map((row) => binsText(row.bins[name] ?? new Map()))),
];
