import { Injectable } from '@nestjs/common';
import { AnalyticsRepository, type Group, type RollupSource } from './analytics.repository.js';
import type { Bins } from './domain/bins.js';
import { type Dimension, type KeyColumn } from './domain/dimensions.js';
import { intervalStarts, type Interval, rangeOf, zonedTime } from './domain/intervals.js';
import {
  type Histogram,
  type Histograms,
  histogramsOf,
  type Metric,
  metricValue,
  PEAK,
  type Sum,
  type Sums,
  SUMS,
  sumsOf,
} from './domain/metrics.js';
import {
  type AnalyticsQuery,
  checkSize,
  MOST_INTERVALS,
  PEAK_COLUMNS,
  peakDimension,
  rollupSpans,
} from './domain/query.js';

interface AnalyticsRow {
  /** ISO 8601 in the time zone of the query; `end` is excluded. */
  start: string;
  end: string;
  group: { dimension: Dimension; value: string | null; label: string | null }[];
  /** The row of all groups beyond the limit. */
  is_other: boolean;
  values: Record<string, number | null>;
}

/** The response of `GET /analytics`. */
export interface AnalyticsView {
  data: AnalyticsRow[];
  meta: {
    date_from: string;
    date_to: string;
    interval: Interval;
    time_zone: string;
    metrics: Metric[];
    group_by: Dimension[];
    intervals: string[];
    pending: number;
  };
}

/** A row before it is shown. `place`: index of the group from 1; null: the others. */
interface Cell {
  interval: number;
  place: number | null;
  sums: Sums;
  histograms: Histograms;
  peak: number | null;
}

/** Answers queries from the rollups. */
@Injectable()
export class AnalyticsService {
  constructor(private readonly analytics: AnalyticsRepository) {}

  /** Throws InvalidFields with the names of query parameters. */
  async report(accountId: number, asked: AnalyticsQuery): Promise<AnalyticsView> {
    const query = { ...asked, timeZone: canonicalZone(asked.timeZone) };
    const range = rangeOf(query, query.timeZone);
    const starts = intervalStarts(range, query.interval, query.timeZone, MOST_INTERVALS);
    checkSize(query, range, starts);
    if (query.metrics.includes(PEAK)) peakDimension(query);
    const zone = await this.analytics.builtZone(accountId, query);
    const spans = rollupSpans(range, query, zone !== undefined);
    const source = { accountId, query, zoneId: zone ?? 0, spans };
    const groups = await this.groupsOf(source);
    const cells = await this.cells(source, groups.slice(0, query.groupLimit), starts);
    const edges = [...starts, range.to].map((moment) => zonedTime(moment, query.timeZone));
    const shown = await this.shownGroups(accountId, query, groups.slice(0, query.groupLimit));
    const { metrics, groupBy, interval, timeZone } = query;
    return {
      data: cells.map((cell) => rowOf(cell, query, shown, edges)),
      meta: {
        date_from: edges[0]!,
        date_to: edges.at(-1)!,
        interval,
        time_zone: timeZone,
        metrics,
        group_by: groupBy,
        intervals: edges.slice(0, -1),
        pending: await this.analytics.pending(accountId),
      },
    };
  }

  private async groupsOf(source: RollupSource): Promise<Group[]> {
    const { groupBy, groupLimit } = source.query;
    return groupBy.length === 0 ? [] : this.analytics.groups(source, groupLimit + 1);
  }

  private async cells(source: RollupSource, groups: readonly Group[], starts: readonly number[]): Promise<Cell[]> {
    const { metrics } = source.query;
    const found = await this.analytics.sums(source, groups, starts, sumsOf(metrics));
    const cells = new Map(found.map((row) => [cellKey(row), cellOf(row)]));
    for (const histogram of histogramsOf(metrics))
      for (const row of await this.analytics.bins(source, groups, starts, histogram)) addBins(cells, row, histogram);
    if (metrics.includes(PEAK)) await this.addPeaks(cells, source, groups, starts);
    return [...cells.values()].toSorted((a, b) => a.interval - b.interval || placeOf(a) - placeOf(b));
  }

  /** Peaks may be in intervals in which no call was created. */
  private async addPeaks(
    cells: Map<string, Cell>,
    source: RollupSource,
    groups: readonly Group[],
    starts: readonly number[],
  ): Promise<void> {
    const dimension = peakDimension(source.query);
    const isGrouped = source.query.groupBy.length > 0;
    const column = dimension && PEAK_COLUMNS[dimension];
    for (const { interval, value, peak } of await this.analytics.peaks(source, starts, dimension)) {
      const index = isGrouped && column ? groups.findIndex((group) => String(group[column]) === value) : 0;
      if (index < 0) continue;
      const cell = { interval, place: index + 1 };
      const present = cells.get(cellKey(cell)) ?? cellOf(cell);
      present.peak = peak;
      cells.set(cellKey(cell), present);
    }
  }

  private async shownGroups(accountId: number, query: AnalyticsQuery, groups: readonly Group[]) {
    const labels = new Map<Dimension, Map<number, string>>();
    for (const dimension of query.groupBy) {
      const ids = groups.map((group) => group[idColumn(dimension)]).filter((id) => typeof id === 'number');
      labels.set(dimension, await this.analytics.labels(accountId, dimension, [...new Set(ids)]));
    }
    return groups.map((group) =>
      query.groupBy.map((dimension) => ({
        dimension,
        value: valueIn(group, dimension),
        label: labelIn(group, dimension, labels.get(dimension)),
      })),
    );
  }
}

/** Names differ in case, and some have aliases. */
export const canonicalZone = (zone: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;

const cellKey = ({ interval, place }: Pick<Cell, 'interval' | 'place'>): string => `${interval} ${place}`;

/** The others are last. */
const placeOf = ({ place }: Cell): number => place ?? Infinity;

function cellOf(row: { interval: number; place: number | null } & Partial<Record<Sum, string>>): Cell {
  const sums = Object.fromEntries(SUMS.map((sum) => [sum, Number(row[sum] ?? 0)])) as Sums;
  return { interval: row.interval, place: row.place, sums, histograms: {}, peak: null };
}

function addBins(
  cells: Map<string, Cell>,
  row: { interval: number; place: number | null; bins: Bins },
  histogram: Histogram,
): void {
  const cell = cells.get(cellKey(row));
  if (cell) cell.histograms[histogram] = row.bins;
}

function rowOf(
  { interval, place, sums, histograms, peak }: Cell,
  { metrics, groupBy }: AnalyticsQuery,
  groups: AnalyticsRow['group'][],
  edges: readonly string[],
): AnalyticsRow {
  const values = metrics.map((metric) => [metric, metric === PEAK ? peak : metricValue(metric, sums, histograms)]);
  const others = groupBy.map((dimension) => ({ dimension, value: null, label: null }));
  return {
    start: edges[interval - 1]!,
    end: edges[interval]!,
    group: groupBy.length === 0 ? [] : place === null ? others : (groups[place - 1] ?? others),
    is_other: place === null,
    values: Object.fromEntries(values) as Record<string, number | null>,
  };
}

const ID_COLUMNS: Record<Dimension, KeyColumn> = {
  agent: 'agent_id',
  version: 'agent_id',
  campaign: 'campaign_id',
  number: 'number_id',
  trunk: 'trunk_id',
  direction: 'direction',
  outcome: 'outcome',
  cause: 'cause',
  answered_by: 'answered_by',
};
const idColumn = (dimension: Dimension): KeyColumn => ID_COLUMNS[dimension];

/** Calls without a value have 0 or an empty text. */
function valueIn(group: Group, dimension: Dimension): string | null {
  const value = group[idColumn(dimension)];
  if (value === 0 || value === '' || value === undefined) return null;
  if (dimension !== 'version') return String(value);
  return group.agent_version === 0 ? `${value}` : `${value}:${group.agent_version}`;
}

function labelIn(group: Group, dimension: Dimension, labels: Map<number, string> | undefined): string | null {
  const label = labels?.get(Number(group[idColumn(dimension)])) ?? null;
  if (dimension !== 'version' || label === null || group.agent_version === 0) return label;
  return `${label} v${group.agent_version}`;
}
