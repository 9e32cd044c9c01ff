import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { CallSpan, Peak } from './domain/peaks.js';

/** A time zone whose days are kept. */
export interface Zone {
  id: number;
  account_id: number;
  time_zone: string;
  /** Milliseconds since 1970: days before it have their counts of rubric answers. Infinity: all, -Infinity: none yet. */
  built_until: number;
}

const ADD_UTC = {
  name: 'add-utc-zones',
  text: `INSERT INTO analytics_zones (account_id, time_zone) SELECT id, 'UTC' FROM unnest($1::integer[]) AS a (id)
    ON CONFLICT (account_id, time_zone) DO NOTHING`,
};

/** As text: a Date has no infinity. */
const ZONE = `id, account_id, time_zone, extract(epoch FROM built_until)::text AS built_until`;
const ZONES = {
  name: 'analytics-zones-of-accounts',
  text: `SELECT ${ZONE} FROM analytics_zones WHERE account_id = ANY ($1::integer[])`,
};
const UNFINISHED = {
  name: 'unfinished-analytics-zone',
  text: `SELECT ${ZONE} FROM analytics_zones WHERE built_until < 'infinity' AND ($1::integer IS NULL OR account_id = $1) ORDER BY id LIMIT 1`,
};
const BUILT = {
  name: 'analytics-zone-built',
  text: 'UPDATE analytics_zones SET built_until = $2::timestamptz WHERE id = $1',
};
const REOPEN = {
  name: 'reopen-analytics-zones',
  text: `UPDATE analytics_zones SET built_until = least(built_until, $2) WHERE account_id = $1`,
};

const NEXT_BUCKET = {
  name: 'next-rubric-bucket',
  text: `SELECT min(bucket) AS bucket FROM analytics_rubrics WHERE account_id = $1 AND zone_id = 0 AND bucket >= $2::timestamptz`,
};

const MARK = {
  name: 'mark-analytics-peaks',
  text: `INSERT INTO analytics_peaks (account_id, dimension, bucket, value, stale)
    SELECT DISTINCT account_id, 'all', bucket, '', true FROM unnest($1::integer[], $2::timestamptz[]) AS m (account_id, bucket)
    ON CONFLICT (account_id, dimension, bucket, value) DO UPDATE SET stale = true`,
};
const STALE = {
  name: 'stale-analytics-peaks',
  text: `SELECT account_id, bucket FROM analytics_peaks WHERE stale AND ($2::integer IS NULL OR account_id = $2)
    ORDER BY account_id, bucket LIMIT $1`,
};
/** A call lasts less than a day; the index finds those that ended in the quarter or later. */
const SPANS = {
  name: 'calls-in-progress',
  text: `SELECT (extract(epoch FROM started_at) * 1000)::float8 AS start, (extract(epoch FROM ended_at) * 1000)::float8 AS "end",
      agent_id, campaign_id, number_id, trunk_id, direction
    FROM analytics_calls WHERE account_id = $1 AND ended_at >= $2 AND ended_at < $3::timestamptz + interval '2 days' AND started_at < $3
        AND NOT is_test AND channel = 'phone'`,
};
const REMOVE_PEAKS = {
  name: 'remove-analytics-peaks',
  text: 'DELETE FROM analytics_peaks WHERE account_id = $1 AND bucket = $2',
};
const STORE_PEAKS = {
  name: 'store-analytics-peaks',
  text: `INSERT INTO analytics_peaks (account_id, dimension, bucket, value, peak)
    SELECT $1, dimension, $2, value, peak FROM unnest($3::text[], $4::text[], $5::integer[]) AS p (dimension, value, peak)`,
};

/** A rebuild also marks the hours after its last call, which are not built before they begin. */
const HAS_WORK = {
  name: 'analytics-has-work',
  text: `SELECT EXISTS (SELECT FROM analytics_hours WHERE stale AND hour <= now() AND ($1::integer IS NULL OR account_id = $1))
    OR EXISTS (SELECT FROM analytics_zones WHERE built_until < 'infinity' AND ($1::integer IS NULL OR account_id = $1))
    OR EXISTS (SELECT FROM analytics_peaks WHERE stale AND ($1::integer IS NULL OR account_id = $1)) AS found`,
};

type ZoneRow = Omit<Zone, 'built_until'> & { built_until: string };
const zoneOf = (row: ZoneRow): Zone => ({ ...row, built_until: Number(row.built_until) * 1_000 });

/** The time zones whose days are kept, and the peaks per quarter of an hour. */
@Injectable()
export class AnalyticsDaysRepository {
  constructor(private readonly database: Database) {}

  /** Every account has the days of UTC. */
  async addUtc(accountIds: readonly number[], tx: Sql): Promise<void> {
    await this.database.rows(ADD_UTC, [accountIds], tx);
  }

  async zones(accountIds: readonly number[], tx: Sql): Promise<Zone[]> {
    return (await this.database.rows<ZoneRow & Record<string, unknown>>(ZONES, [accountIds], tx)).map(zoneOf);
  }

  /** A zone with days whose answers are not counted. */
  async unfinished(accountId: number | undefined, tx: Sql): Promise<Zone | undefined> {
    const values = [accountId ?? null];
    const [row] = await this.database.rows<ZoneRow & Record<string, unknown>>(UNFINISHED, values, tx);
    return row && zoneOf(row);
  }

  /** Whether an account, or any, has hours, days of answers or peaks that are not computed. */
  async hasWork(accountId: number | undefined): Promise<boolean> {
    const [row] = await this.database.rows<{ found: boolean }>(HAS_WORK, [accountId ?? null]);
    return row?.found ?? false;
  }

  /** `until`: Infinity when every day is built. */
  async setBuilt(zoneId: number, until: number, tx: Sql): Promise<void> {
    await this.database.rows(BUILT, [zoneId, until === Infinity ? 'infinity' : new Date(until)], tx);
  }

  /** The days from a time on are built anew. */
  async reopen(accountId: number, from: Date, tx: Sql): Promise<void> {
    await this.database.rows(REOPEN, [accountId, from], tx);
  }

  /** The first quarter with answers at or after a time. */
  async nextBucket(accountId: number, from: number, tx: Sql): Promise<number | undefined> {
    const values = [accountId, from === -Infinity ? '-infinity' : new Date(from)];
    const [row] = await this.database.rows<{ bucket: Date | null }>(NEXT_BUCKET, values, tx);
    return row?.bucket?.getTime();
  }

  async markPeaks(quarters: readonly { accountId: number; quarter: number }[], tx: Sql): Promise<void> {
    const values = [quarters.map((one) => one.accountId), quarters.map((one) => new Date(one.quarter))];
    await this.database.rows(MARK, values, tx);
  }

  stalePeaks(limit: number, accountId: number | undefined, tx: Sql): Promise<{ account_id: number; bucket: Date }[]> {
    return this.database.rows<{ account_id: number; bucket: Date }>(STALE, [limit, accountId ?? null], tx);
  }

  /** The calls that were in progress in a span of time. */
  callsInProgress(accountId: number, from: Date, to: Date, tx: Sql): Promise<CallSpan[]> {
    return this.database.rows<CallSpan & Record<string, unknown>>(SPANS, [accountId, from, to], tx);
  }

  async replacePeaks(accountId: number, bucket: Date, peaks: readonly Peak[], tx: Sql): Promise<void> {
    await this.database.rows(REMOVE_PEAKS, [accountId, bucket], tx);
    const lists = [peaks.map((one) => one.dimension), peaks.map((one) => one.value), peaks.map((one) => one.peak)];
    await this.database.rows(STORE_PEAKS, [accountId, bucket, ...lists], tx);
  }
}
