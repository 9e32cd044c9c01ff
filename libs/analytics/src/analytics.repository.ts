import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
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
}
