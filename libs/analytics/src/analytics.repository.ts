import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { type Dimension } from './domain/dimensions.js';
import type { TimeRange } from './domain/intervals.js';
import { type AnalyticsQuery, PEAK_COLUMNS, type PeakDimension } from './domain/query.js';

/** A time zone whose days are kept. */
interface KeptZone {
  id: number;
  /** Every day has its counts of rubric answers. */
  hasRubrics: boolean;
}

const ZONE = {
  name: 'analytics-zone',
  text: `SELECT id, built_until = 'infinity' AS "hasRubrics" FROM analytics_zones WHERE account_id = $1 AND time_zone = $2`,
};

/** More zones are answered from hours. */
const MAX_ZONES = 8;

const ADD_ZONE = {
  name: 'add-analytics-zone',
  text: `INSERT INTO analytics_zones (account_id, time_zone)
    SELECT $1, $2 WHERE (SELECT count(*) FROM analytics_zones WHERE account_id = $1) < ${MAX_ZONES}
      AND EXISTS (SELECT FROM analytics_hours WHERE account_id = $1)
    ON CONFLICT (account_id, time_zone) DO NOTHING`,
};

const PENDING = {
  name: 'pending-analytics-calls',
  text: `SELECT count(*)::integer AS pending FROM (SELECT FROM analytics_calls WHERE pending AND account_id = $1 LIMIT 100000) AS waiting`,
};

const LABELS: Partial<Record<Dimension, { name: string; text: string }>> = {
  agent: {
    name: 'agent-labels',
    text: 'SELECT id, name AS label FROM agents WHERE account_id = $1 AND id = ANY ($2::integer[])',
  },
  campaign: {
    name: 'campaign-labels',
    text: 'SELECT id, name AS label FROM campaigns WHERE account_id = $1 AND id = ANY ($2::integer[])',
  },
  number: {
    name: 'number-labels',
    text: 'SELECT id, e164 AS label FROM phone_numbers WHERE account_id = $1 AND id = ANY ($2::integer[])',
  },
  trunk: {
    name: 'trunk-labels',
    text: 'SELECT id, name AS label FROM sip_trunks WHERE account_id = $1 AND id = ANY ($2::integer[])',
  },
};

/** Reads what queries need beside the rollups. */
@Injectable()
export class AnalyticsRepository {
  constructor(private readonly database: Database) {}

  /** The worker builds the days and months of a zone after the first query with its days. */
  async keptZone(
    accountId: number,
    { interval, timeZone }: Pick<AnalyticsQuery, 'interval' | 'timeZone'>,
  ): Promise<KeptZone | undefined> {
    if (interval === 'hour') return undefined;
    const [zone] = await this.database.quickRows<KeptZone & Record<string, unknown>>(ZONE, [accountId, timeZone]);
    if (!zone) await this.database.rows(ADD_ZONE, [accountId, timeZone]);
    return zone;
  }

  async pending(accountId: number): Promise<number> {
    const [row] = await this.database.rows<{ pending: number }>(PENDING, [accountId]);
    return row?.pending ?? 0;
  }

  /** The peaks of every interval, of all calls or by value of a dimension. */
  async peaks(
    accountId: number,
    { filter: wanted }: AnalyticsQuery,
    { from, to }: TimeRange,
    starts: readonly number[],
    dimension: PeakDimension | undefined,
  ): Promise<{ interval: number; value: string; peak: number }[]> {
    const filter = dimension === undefined ? undefined : wanted[PEAK_COLUMNS[dimension]];
    const text = `SELECT width_bucket(bucket, $5::timestamptz[]) AS interval, value, max(peak) AS peak FROM analytics_peaks
      WHERE account_id = $1 AND dimension = $2 AND bucket >= $3 AND bucket < $4 AND ($6::text IS NULL OR value = $6)
      GROUP BY 1, 2`;
    const values = [
      accountId,
      dimension ?? 'all',
      ...[new Date(from), new Date(to)],
      starts.map((start) => new Date(start)),
      filter === undefined ? null : String(filter),
    ];
    return this.database.rows<{ interval: number; value: string; peak: number }>({ text }, values);
  }

  /** The names of records of the account by id; deleted records are left out. */
  async labels(accountId: number, dimension: Dimension, ids: readonly number[]): Promise<Map<number, string>> {
    const statement = LABELS[dimension === 'version' ? 'agent' : dimension];
    if (!statement || ids.length === 0) return new Map();
    const found = await this.database.quickRows<{ id: number; label: string }>(statement, [accountId, ids]);
    return new Map(found.map(({ id, label }) => [id, label]));
  }
}
