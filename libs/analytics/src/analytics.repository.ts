import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { type Bins } from './domain/bins.js';
import {
  andTests,
  coarsestWith,
  COLUMNS_OF,
  DAY_CUBOIDS,
  type Dimension,
  KEY_COLUMNS,
  type KeyColumn,
  QUARTER_CUBOIDS,
} from './domain/dimensions.js';
import type { Histogram, Sum } from './domain/metrics.js';
import {
  type AnalyticsQuery,
  filteredColumns,
  neededColumns,
  PEAK_COLUMNS,
  type PeakDimension,
} from './domain/query.js';
import type { RollupSpan } from './domain/query.js';

type KeyValue = number | string;

/** The values of the dimensions of a group, by key column. */
export type Group = Partial<Record<KeyColumn, KeyValue>>;

/** The rollups that answer a query. */
export interface RollupSource {
  accountId: number;
  query: AnalyticsQuery;
  /** Of the days. */
  zoneId: number;
  spans: readonly RollupSpan[];
}

/** Where the rows of a result go: `place` is the index of the group; null: the others. */
interface Placed {
  interval: number;
  place: number | null;
}

interface Zone {
  id: number;
  isBuilt: boolean;
}

const ZONE = {
  name: 'analytics-zone',
  text: `SELECT id, built_until = 'infinity' AS "isBuilt" FROM analytics_zones WHERE account_id = $1 AND time_zone = $2`,
};

/** More zones are answered from quarters of an hour. */
const MOST_ZONES = 8;

const ADD_ZONE = {
  name: 'add-analytics-zone',
  text: `INSERT INTO analytics_zones (account_id, time_zone, built_until)
    SELECT $1, $2, '-infinity' WHERE (SELECT count(*) FROM analytics_zones WHERE account_id = $1) < ${MOST_ZONES}
      AND EXISTS (SELECT FROM analytics_rollups WHERE account_id = $1)
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

/** Reads rollups. A query scans the rows of the coarsest grouping that has its dimensions, whose number does not depend on that of the calls. */
@Injectable()
export class AnalyticsRepository {
  constructor(private readonly database: Database) {}

  /** The id of the zone whose days are built. The worker builds a zone after the first query with its days. */
  async builtZone(
    accountId: number,
    { interval, timeZone }: Pick<AnalyticsQuery, 'interval' | 'timeZone'>,
  ): Promise<number | undefined> {
    if (interval === 'hour') return undefined;
    const [zone] = await this.database.rows<Zone & Record<string, unknown>>(ZONE, [accountId, timeZone]);
    if (!zone) await this.database.rows(ADD_ZONE, [accountId, timeZone]);
    return zone?.isBuilt ? zone.id : undefined;
  }

  async pending(accountId: number): Promise<number> {
    const [row] = await this.database.rows<{ pending: number }>(PENDING, [accountId]);
    return row?.pending ?? 0;
  }

  /** The groups with the most calls, the largest first; one more than wanted shows that there are others. */
  async groups(source: RollupSource, limit: number): Promise<Group[]> {
    const columns = groupColumns(source.query);
    const statement = new SourceStatement(source, ['calls']);
    const names = columns.join(', ');
    const text = `SELECT ${names} FROM ${statement.from} GROUP BY ${names} HAVING sum(calls) > 0
      ORDER BY sum(calls) DESC, ${names} LIMIT ${statement.place(limit)}`;
    return this.database.rows<Group & Record<string, unknown>>({ text }, statement.values);
  }

  /** The sums of every interval and group. `starts`: the beginnings of the intervals. */
  async sums(
    source: RollupSource,
    groups: readonly Group[],
    starts: readonly number[],
    sums: readonly Sum[],
  ): Promise<(Placed & Record<Sum, string>)[]> {
    const wanted: Sum[] = [...new Set<Sum>(['calls', ...sums])];
    const statement = new SourceStatement(source, wanted);
    const text = `SELECT ${statement.interval(starts)} AS interval, top.place::integer AS place,
        ${wanted.map((sum) => `sum(${sum}) AS ${sum}`).join(', ')}
      FROM ${statement.from} ${statement.joinGroups(groups)} GROUP BY 1, 2 HAVING sum(calls) > 0`;
    return this.database.rows<Placed & Record<Sum, string>>({ text }, statement.values);
  }

  /** The histograms of every interval and group. */
  async bins(
    source: RollupSource,
    groups: readonly Group[],
    starts: readonly number[],
    histogram: Histogram,
  ): Promise<(Placed & { bins: Bins })[]> {
    const statement = new SourceStatement(source, [histogram]);
    const text = `SELECT interval, place, string_agg(bin || ':' || n, ' ') AS bins FROM (
        SELECT ${statement.interval(starts)} AS interval, top.place::integer AS place, bin, sum(${histogram}[bin]) AS n
          FROM ${statement.from} ${statement.joinGroups(groups)}, LATERAL generate_subscripts(${histogram}, 1) AS bin
          GROUP BY 1, 2, 3) AS counted
      GROUP BY 1, 2`;
    const found = await this.database.rows<Placed & { bins: string }>({ text }, statement.values);
    return found.map((row) => ({ ...row, bins: binsOf(row.bins) }));
  }

  /** The peaks of every interval, of all calls or by value of a dimension. */
  async peaks(
    { accountId, query, spans }: RollupSource,
    starts: readonly number[],
    dimension: PeakDimension | undefined,
  ): Promise<{ interval: number; value: string; peak: number }[]> {
    const filter = dimension === undefined ? undefined : query.filter[PEAK_COLUMNS[dimension]];
    const text = `SELECT width_bucket(bucket, $5::timestamptz[]) AS interval, value, max(peak) AS peak FROM analytics_peaks
      WHERE account_id = $1 AND dimension = $2 AND bucket >= $3 AND bucket < $4 AND ($6::text IS NULL OR value = $6)
      GROUP BY 1, 2`;
    const range = [new Date(spans[0]!.from), new Date(spans.at(-1)!.to)];
    const values = [
      accountId,
      dimension ?? 'all',
      ...range,
      times(starts),
      filter === undefined ? null : String(filter),
    ];
    return this.database.rows<{ interval: number; value: string; peak: number }>({ text }, values);
  }

  /** The names of records of the account by id; deleted records are left out. */
  async labels(accountId: number, dimension: Dimension, ids: readonly number[]): Promise<Map<number, string>> {
    const statement = LABELS[dimension === 'version' ? 'agent' : dimension];
    if (!statement || ids.length === 0) return new Map();
    const found = await this.database.rows<{ id: number; label: string }>(statement, [accountId, ids]);
    return new Map(found.map(({ id, label }) => [id, label]));
  }
}

const groupColumns = ({ groupBy }: AnalyticsQuery): KeyColumn[] => [
  ...new Set(groupBy.flatMap((one) => COLUMNS_OF[one])),
];

const times = (starts: readonly number[]): Date[] => starts.map((start) => new Date(start));

const binsOf = (text: string): Bins =>
  new Map(text.split(' ').map((one) => one.split(':').map(Number) as [number, number]));

/** The rows of a query as a FROM clause with its values. */
class SourceStatement {
  readonly values: unknown[] = [];
  readonly from: string;
  private readonly columns: KeyColumn[];

  constructor({ accountId, query, zoneId, spans }: RollupSource, read: readonly string[]) {
    this.columns = groupColumns(query);
    const needed = neededColumns(query);
    const account = this.place(accountId);
    const conditions = filteredColumns(query.filter).map(
      (column) => `AND ${column} = ${this.place(query.filter[column])}`,
    );
    const parts = spans.map((span) => {
      const isDays = span.kind === 'days';
      const cuboid = coarsestWith(needed, isDays ? DAY_CUBOIDS : QUARTER_CUBOIDS);
      return `SELECT bucket, ${[...this.columns, ...read].join(', ')} FROM analytics_rollups
        WHERE account_id = ${account} AND zone_id = ${isDays ? this.place(zoneId) : 0} AND cuboid ${query.withTests ? `IN (${andTests(cuboid).join(', ')})` : `= ${cuboid}`}
          AND bucket >= ${this.place(new Date(span.from))} AND bucket < ${this.place(new Date(span.to))} ${conditions.join(' ')}`;
    });
    this.from = `(${parts.join(' UNION ALL ')}) AS source`;
  }

  /** Adds a value and returns its placeholder. */
  place(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** The number of the interval of a row, from 1. */
  interval(starts: readonly number[]): string {
    return `width_bucket(bucket, ${this.place(times(starts))}::timestamptz[])`;
  }

  /** `top.place`: the index of the group of a row from 1; null: it is none of them. */
  joinGroups(groups: readonly Group[]): string {
    if (this.columns.length === 0) return 'CROSS JOIN (SELECT 1 AS place) AS top';
    const lists = this.columns.map(
      (column) => `${this.place(groups.map((group) => group[column]))}::${KEY_COLUMNS[column]}[]`,
    );
    const names = this.columns.map((_column, index) => `v${index}`);
    const on = this.columns.map((column, index) => `top.v${index} = source.${column}`);
    return `LEFT JOIN unnest(${lists.join(', ')}) WITH ORDINALITY AS top (${names.join(', ')}, place) ON ${on.join(' AND ')}`;
  }
}
