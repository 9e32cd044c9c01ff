import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Level } from './analytics-blocks.repository.js';
import type { TimeRange } from './domain/intervals.js';

/** An hour of UTC in which calls of an account were created. */
export interface AccountHour {
  accountId: number;
  /** Milliseconds since 1970. */
  hour: number;
}

/** An hour whose blocks are missing or out of date. */
export interface StaleHour extends AccountHour {
  /** Grows with every change. */
  version: number;
}

/** A time zone whose days or months are built up to a moment. */
export interface UnbuiltZone {
  id: number;
  account_id: number;
  time_zone: string;
  /** Milliseconds since 1970; -Infinity: none. */
  until: number;
}

const HOUR = `(extract(epoch FROM hour) * 1000)::float8`;

const MARK = {
  name: 'mark-analytics-hours',
  text: `INSERT INTO analytics_hours AS h (account_id, hour, version, stale, changed_at)
    SELECT account_id, hour, 1, true, now() FROM (SELECT DISTINCT account_id, hour
      FROM unnest($1::integer[], $2::timestamptz[]) AS m (account_id, hour)) AS marked ORDER BY account_id, hour
    ON CONFLICT (account_id, hour) DO UPDATE SET version = h.version + 1, stale = true, changed_at = now()`,
};

/** The days and months that are there already are passed over when they are reached again. */
const REOPEN = {
  name: 'reopen-analytics-blocks',
  text: `UPDATE analytics_zones z SET days_until = least(days_until, m.hour - interval '2 days'),
      months_until = least(months_until, m.hour - interval '33 days')
    FROM (SELECT account_id, min(hour) AS hour FROM unnest($1::integer[], $2::timestamptz[]) AS m (account_id, hour) GROUP BY 1) AS m
    WHERE z.account_id = m.account_id AND (z.days_until > m.hour OR z.months_until > m.hour)`,
};

const STALE = {
  name: 'stale-analytics-hours',
  text: `SELECT account_id AS "accountId", ${HOUR} AS hour, version FROM analytics_hours
    WHERE stale AND ($1::integer IS NULL OR account_id = $1) AND changed_at <= now() - $2 * interval '1 ms'
      AND hour <= now() - $2 * interval '1 ms'
    ORDER BY account_id, hour LIMIT $3`,
};

const STALE_IN = {
  name: 'stale-analytics-hours-in',
  text: `SELECT DISTINCT ${HOUR} AS hour FROM unnest($2::timestamptz[], $3::timestamptz[]) AS gap (start, finish) JOIN analytics_hours
      ON account_id = $1 AND stale AND hour > gap.start - interval '1 hour' AND hour < gap.finish ORDER BY 1`,
};

/** Hours that have changed meanwhile remain stale. */
const SETTLE = {
  name: 'settle-analytics-hours',
  text: `UPDATE analytics_hours h SET stale = false FROM unnest($2::timestamptz[], $3::integer[]) AS n (hour, version)
    WHERE h.account_id = $1 AND h.hour = n.hour AND h.version = n.version RETURNING (extract(epoch FROM h.hour) * 1000)::float8 AS hour`,
};

const STATE = {
  name: 'state-of-analytics-hours',
  text: `SELECT count(*) || ' ' || coalesce(sum(version), 0) AS state, coalesce(bool_or(stale), false) AS "isStale" FROM analytics_hours
    WHERE account_id = $1 AND hour > $2::timestamptz - interval '1 hour' AND hour < $3`,
};

const NEXT = {
  name: 'next-analytics-hour',
  text: `SELECT ${HOUR} AS hour FROM analytics_hours WHERE account_id = $1 AND hour > $2::timestamptz - interval '1 hour'
    ORDER BY analytics_hours.hour LIMIT 1`,
};

/** Zones with a span that is over for two hours and has no stale hour. `longest`: longer than any span of the level. */
const unbuilt = (level: Exclude<Level, 'hour'>, longest: string) => ({
  name: `unbuilt-analytics-${level}s`,
  text: `SELECT id, account_id, time_zone, extract(epoch FROM ${level}s_until)::text AS until FROM analytics_zones z
    WHERE ${level}s_until < now() - interval '${longest}' - interval '2 hours' AND ($1::integer IS NULL OR account_id = $1)
      AND NOT EXISTS (SELECT FROM analytics_hours h WHERE h.account_id = z.account_id AND h.stale
        AND h.hour > ${level}s_until - interval '1 hour' AND h.hour < ${level}s_until + interval '${longest}')
    ORDER BY id LIMIT 1`,
});
const UNBUILT = { day: unbuilt('day', '25 hours'), month: unbuilt('month', '32 days') };

const builtUntil = (level: Exclude<Level, 'hour'>) => ({
  name: `analytics-${level}s-built`,
  text: `UPDATE analytics_zones SET ${level}s_until = $2 WHERE id = $1`,
});
const BUILT_UNTIL = { day: builtUntil('day'), month: builtUntil('month') };

const lists = (hours: readonly AccountHour[]): unknown[][] => [
  hours.map(({ accountId }) => accountId),
  hours.map(({ hour }) => new Date(hour)),
];

/** Which rollups have to be built. */
@Injectable()
export class AnalyticsHoursRepository {
  constructor(private readonly database: Database) {}

  /** The calls of these hours have changed: until the hours are built again, their calls are read one by one. */
  async mark(hours: readonly AccountHour[], tx: Sql): Promise<void> {
    await this.database.rows(MARK, lists(hours), tx);
    await this.database.rows(REOPEN, lists(hours), tx);
  }

  /** Stale hours without changes for `quietMs`, of one account or all. */
  stale(options: { accountId: number | undefined; quietMs: number }, limit: number, tx: Sql): Promise<StaleHour[]> {
    const values = [options.accountId ?? null, options.quietMs, limit];
    return this.database.rows<StaleHour & Record<string, unknown>>(STALE, values, tx);
  }

  /** In the order of time. */
  async staleIn(accountId: number, ranges: readonly TimeRange[], tx: Sql): Promise<number[]> {
    const edges = [ranges.map(({ from }) => new Date(from)), ranges.map(({ to }) => new Date(to))];
    const found = await this.database.rows<{ hour: number }>(STALE_IN, [accountId, ...edges], tx);
    return found.map(({ hour }) => hour);
  }

  /** Returns the hours that have not changed meanwhile. */
  async settle(accountId: number, hours: readonly StaleHour[], tx: Sql): Promise<Set<number>> {
    const values = [accountId, hours.map(({ hour }) => new Date(hour)), hours.map(({ version }) => version)];
    return new Set((await this.database.rows<{ hour: number }>(SETTLE, values, tx)).map(({ hour }) => hour));
  }

  /** `state` differs after any change of the hours. */
  async state(accountId: number, { from, to }: TimeRange, tx: Sql): Promise<{ state: string; isStale: boolean }> {
    const values = [accountId, new Date(from), new Date(to)];
    return (await this.database.rows<{ state: string; isStale: boolean }>(STATE, values, tx))[0]!;
  }

  /** The first hour that has calls from a moment on. */
  async next(accountId: number, from: number, tx: Sql): Promise<number | undefined> {
    const values = [accountId, from === -Infinity ? '-infinity' : new Date(from)];
    return (await this.database.rows<{ hour: number }>(NEXT, values, tx))[0]?.hour;
  }

  /** A zone whose next day or month can be built. */
  async unbuilt(
    level: Exclude<Level, 'hour'>,
    accountId: number | undefined,
    tx: Sql,
  ): Promise<UnbuiltZone | undefined> {
    const found = await this.database.rows<Omit<UnbuiltZone, 'until'> & { until: string }>(
      UNBUILT[level],
      [accountId ?? null],
      tx,
    );
    return found.map((zone) => ({ ...zone, until: Number(zone.until) * 1_000 }))[0];
  }

  async setBuilt(zoneId: number, level: Exclude<Level, 'hour'>, until: number, tx: Sql): Promise<void> {
    await this.database.rows(BUILT_UNTIL[level], [zoneId, new Date(until)], tx);
  }
}
