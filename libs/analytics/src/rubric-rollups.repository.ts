import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { RollupSpan } from './domain/query.js';
import type { RubricFact, RubricRow } from './domain/rubric-rows.js';

const KEYS = 'account_id, zone_id, bucket, agent_id, agent_version, name, type, answer, is_test';

const ADD = {
  name: 'add-to-rubric-rollups',
  text: `INSERT INTO analytics_rubrics AS r (${KEYS}, calls)
    SELECT * FROM unnest($1::integer[], $2::integer[], $3::timestamptz[], $4::integer[], $5::integer[], $6::text[], $7::text[],
      $8::text[], $9::boolean[], $10::bigint[])
    ON CONFLICT (${KEYS}) DO UPDATE SET calls = r.calls + excluded.calls`,
};

const REMOVE = {
  name: 'remove-rubric-rollups',
  text: 'DELETE FROM analytics_rubrics WHERE account_id = $1 AND zone_id = $2 AND bucket >= $3 AND bucket < $4',
};

const BUILD_DAY = {
  name: 'build-day-of-rubrics',
  text: `INSERT INTO analytics_rubrics (${KEYS}, calls)
    SELECT account_id, $2::integer, $3::timestamptz, agent_id, agent_version, name, type, answer, is_test, sum(calls)
      FROM analytics_rubrics WHERE account_id = $1 AND zone_id = 0 AND bucket >= $3 AND bucket < $4
      GROUP BY account_id, agent_id, agent_version, name, type, answer, is_test HAVING sum(calls) <> 0`,
};

/** Which rows a report reads. */
interface RubricSource {
  accountId: number;
  /** Of the days. */
  zoneId: number;
  spans: readonly RollupSpan[];
  byVersion: boolean;
  withTests: boolean;
  agentId?: number | undefined;
  agentVersion?: number | undefined;
  name?: string | undefined;
}

/** How many calls of an interval gave an answer. */
export interface AnswerCount extends RubricFact {
  interval: number;
  agent_id: number;
  /** 0: all versions, or calls without a version. */
  agent_version: number;
  calls: number;
}

/** Counts of answers to rubric questions, per quarter of an hour and per day of the time zones that are kept. */
@Injectable()
export class RubricRollupsRepository {
  constructor(private readonly database: Database) {}

  /** Adds rows to those that are there. */
  async add(rows: readonly RubricRow[], tx: Sql): Promise<void> {
    for (let from = 0; from < rows.length; from += 5_000) {
      const part = rows.slice(from, from + 5_000);
      const column = (name: keyof RubricRow): unknown[] => part.map((row) => row[name]);
      const buckets = part.map(({ bucket }) => new Date(bucket));
      const after = ['agentId', 'agentVersion', 'name', 'type', 'answer', 'isTest', 'calls'] as const;
      await this.database.rows(ADD, [column('accountId'), column('zoneId'), buckets, ...after.map(column)], tx);
    }
  }

  async remove(accountId: number, zoneId: number, { from, to }: { from: Date; to: Date }, tx: Sql): Promise<void> {
    await this.database.rows(REMOVE, [accountId, zoneId, from, to], tx);
  }

  /** Builds the day of a zone from its quarters of an hour. */
  async buildDay(accountId: number, zoneId: number, day: { from: Date; to: Date }, tx: Sql): Promise<void> {
    await this.remove(accountId, zoneId, day, tx);
    await this.database.rows(BUILD_DAY, [accountId, zoneId, day.from, day.to], tx);
  }

  /** `starts`: the beginnings of the intervals, which are numbered from 1. At most `limit` counts. */
  async counts(source: RubricSource, starts: readonly number[], limit: number): Promise<AnswerCount[]> {
    const values: unknown[] = [];
    const place = (value: unknown): string => `$${values.push(value)}`;
    const account = place(source.accountId);
    const conditions = [
      ...(source.agentId === undefined ? [] : [`agent_id = ${place(source.agentId)}`]),
      ...(source.agentVersion === undefined ? [] : [`agent_version = ${place(source.agentVersion)}`]),
      ...(source.name === undefined ? [] : [`name = ${place(source.name)}`]),
      ...(source.withTests ? [] : ['NOT is_test']),
    ].map((condition) => ` AND ${condition}`);
    const parts = source.spans.map(
      ({ kind, from, to }) => `SELECT * FROM analytics_rubrics WHERE account_id = ${account}
        AND zone_id = ${kind === 'days' ? place(source.zoneId) : 0}
        AND bucket >= ${place(new Date(from))} AND bucket < ${place(new Date(to))}${conditions.join('')}`,
    );
    const edges = place(starts.map((start) => new Date(start)));
    const text = `SELECT width_bucket(bucket, ${edges}::timestamptz[]) AS interval, agent_id,
        ${source.byVersion ? 'agent_version' : '0'} AS agent_version, name, type, answer, sum(calls)::float8 AS calls
      FROM (${parts.join(' UNION ALL ')}) AS source GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(calls) > 0
      ORDER BY 1, 2, 3, 4, 5, 6 LIMIT ${place(limit)}`;
    return this.database.rows<AnswerCount & Record<string, unknown>>({ text }, values);
  }
}
