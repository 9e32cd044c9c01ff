import { Injectable } from '@nestjs/common';
import { AnalyticsRepository } from './analytics.repository.js';
import { LabelsService } from './labels.service.js';
import { AnalyticsTotalsService, type Cell, emptyCell, type Group } from './analytics-totals.service.js';
import { type Dimension, type KeyColumn } from './domain/dimensions.js';
import { intervalStarts, type Interval, rangeOf, type TimeRange, zonedTimes } from './domain/intervals.js';
import { type Metric, metricValue, PEAK } from './domain/metrics.js';
import { type AnalyticsQuery, checkSize, MAX_INTERVALS, PEAK_COLUMNS, peakDimension } from './domain/query.js';

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

interface PeakQuestion {
  accountId: number;
  query: AnalyticsQuery;
  range: TimeRange;
  starts: readonly number[];
  groups: readonly Group[];
}

/** Answers queries from the rollups. */
@Injectable()
export class AnalyticsService {
  constructor(
    private readonly analytics: AnalyticsRepository,
    private readonly labels: LabelsService,
    private readonly totals: AnalyticsTotalsService,
  ) {}

  /** Throws InvalidFields with the names of query parameters. */
  async report(accountId: number, asked: AnalyticsQuery): Promise<AnalyticsView> {
    const query = { ...asked, timeZone: canonicalZone(asked.timeZone) };
    const range = rangeOf(query, query.timeZone);
    const starts = intervalStarts(range, query.interval, query.timeZone, MAX_INTERVALS);
    checkSize(query, range, starts);
    if (query.metrics.includes(PEAK)) peakDimension(query);
    const zone = await this.analytics.keptZone(accountId, query);
    const { groups, cells } = await this.totals.of({ accountId, zoneId: zone?.id, query, range, starts });
    if (query.metrics.includes(PEAK)) await this.addPeaks(cells, { accountId, query, range, starts, groups });
    const edges = zonedTimes([...starts, range.to], query.timeZone);
    const [shown, pending] = await Promise.all([
      this.shownGroups(accountId, query, groups),
      this.analytics.pending(accountId),
    ]);
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
        pending,
      },
    };
  }

  /** Peaks may be in intervals in which no call was created. */
  private async addPeaks(cells: Cell[], { accountId, query, range, starts, groups }: PeakQuestion): Promise<void> {
    const dimension = peakDimension(query);
    const column = dimension && PEAK_COLUMNS[dimension];
    const known = new Map(cells.map((cell) => [cellKey(cell), cell]));
    for (const { interval, value, peak } of await this.analytics.peaks(accountId, query, range, starts, dimension)) {
      const isGrouped = query.groupBy.length > 0 && column !== undefined;
      const index = isGrouped ? groups.findIndex((group) => String(group[column]) === value) : 0;
      if (index < 0) continue;
      const place = { interval, place: index + 1 };
      const present = known.get(cellKey(place)) ?? emptyCell(place);
      if (!known.has(cellKey(place))) cells.push(present);
      present.peak = peak;
    }
    cells.sort((a, b) => a.interval - b.interval || placeOf(a) - placeOf(b));
  }

  private async shownGroups(accountId: number, query: AnalyticsQuery, groups: readonly Group[]) {
    const labelsOf = (dimension: Dimension): Promise<ReadonlyMap<number, string>> => {
      const ids = groups.map((group) => group[idColumn(dimension)]).filter((id) => typeof id === 'number');
      return this.labels.of(accountId, dimension, [...new Set(ids)]);
    };
    const labels = await Promise.all(query.groupBy.map(labelsOf));
    return groups.map((group) =>
      query.groupBy.map((dimension, index) => ({
        dimension,
        value: valueIn(group, dimension),
        label: labelIn(group, dimension, labels[index]!),
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

function rowOf(
  { interval, place, sums, histograms, peak }: Cell,
  { metrics, groupBy }: AnalyticsQuery,
  groups: AnalyticsRow['group'][],
  edges: readonly string[],
): AnalyticsRow {
  const values: AnalyticsRow['values'] = {};
  for (const metric of metrics) values[metric] = metric === PEAK ? peak : metricValue(metric, sums, histograms);
  const others = groupBy.map((dimension) => ({ dimension, value: null, label: null }));
  return {
    start: edges[interval - 1]!,
    end: edges[interval]!,
    group: groupBy.length === 0 ? [] : place === null ? others : (groups[place - 1] ?? others),
    is_other: place === null,
    values,
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

function labelIn(group: Group, dimension: Dimension, labels: ReadonlyMap<number, string>): string | null {
  const label = labels.get(Number(group[idColumn(dimension)])) ?? null;
  if (dimension !== 'version' || label === null || group.agent_version === 0) return label;
  return `${label} v${group.agent_version}`;
}
