import { InvalidFields, withCode } from '@app/common';
import type { KeyFilter } from './cells.js';
import { COLUMNS_OF, type Dimension, type KeyColumn, type PopulationFilter } from './dimensions.js';
import { dayStart, dayStartFrom, type Interval, type RangeEdge, type TimeRange } from './intervals.js';
import { type Metric, PEAK } from './metrics.js';

export const MAX_INTERVALS = 1_000;
export const MAX_GROUPS = 100;
/** Intervals times groups. */
export const MAX_ROWS = 20_000;

export interface AnalyticsQuery extends PopulationFilter {
  metrics: Metric[];
  groupBy: Dimension[];
  /** Groups beside the one of all others. */
  groupLimit: number;
  interval: Interval;
  timeZone: string;
  from?: RangeEdge | undefined;
  to?: RangeEdge | undefined;
  filter: KeyFilter;
}

/** The dimensions of which peaks are kept, with their columns. */
export const PEAK_COLUMNS = {
  agent: 'agent_id',
  campaign: 'campaign_id',
  number: 'number_id',
  trunk: 'trunk_id',
  direction: 'direction',
} as const satisfies Partial<Record<Dimension, KeyColumn>>;
export type PeakDimension = keyof typeof PEAK_COLUMNS;
export const PEAK_DIMENSIONS = Object.keys(PEAK_COLUMNS) as PeakDimension[];

const filterColumns = (filter: KeyFilter): KeyColumn[] =>
  (Object.keys(filter) as KeyColumn[]).filter((column) => filter[column] !== undefined);

/** The columns of the groups. */
export const groupColumns = ({ groupBy }: Pick<AnalyticsQuery, 'groupBy'>): KeyColumn[] => [
  ...new Set(groupBy.flatMap((one) => COLUMNS_OF[one])),
];

/** The columns that a rollup needs to answer the query. */
export const neededColumns = ({ groupBy, filter }: AnalyticsQuery): KeyColumn[] => [
  ...new Set([...groupColumns({ groupBy }), ...filterColumns(filter)]),
];

/** The dimension of the peaks that answer the query; undefined: the peaks of all calls. Throws InvalidFields when there are none. */
export function peakDimension(query: AnalyticsQuery): PeakDimension | undefined {
  if (query.withTests || query.channel !== 'phone')
    throw new InvalidFields({
      metrics: [
        withCode('not_allowed', `The metric ${PEAK} is kept without web calls and the calls of tester callers only.`),
      ],
    });
  const columns = neededColumns(query);
  const dimension = PEAK_DIMENSIONS.find((one) => PEAK_COLUMNS[one] === columns[0]);
  const isKept = columns.length <= 1 && (columns.length === 0 || dimension !== undefined);
  if (isKept && query.groupBy.length <= 1) return dimension;
  const names = PEAK_DIMENSIONS.join(', ');
  throw new InvalidFields({
    metrics: [withCode('not_allowed', `The metric ${PEAK} can be grouped or filtered by one of ${names} only.`)],
  });
}

/** Throws InvalidFields. `starts`: the beginnings of the intervals; undefined: too many. */
export function checkSize(
  query: Pick<AnalyticsQuery, 'groupBy' | 'groupLimit'>,
  range: TimeRange,
  starts: readonly number[] | undefined,
): asserts starts is readonly number[] {
  if (range.from >= range.to)
    throw new InvalidFields({
      date_to: [withCode('out_of_range', 'The date to field must be after the date from field.')],
    });
  if (!starts)
    throw new InvalidFields({
      interval: [
        withCode(
          'out_of_range',
          `The range has more than ${MAX_INTERVALS} intervals. Choose a longer interval or a shorter range.`,
        ),
      ],
    });
  const groups = query.groupBy.length === 0 ? 1 : query.groupLimit + 1;
  if (starts.length * groups > MAX_ROWS)
    throw new InvalidFields({
      group_limit: [
        withCode(
          'out_of_range',
          `The intervals times the groups must not exceed ${MAX_ROWS}. Choose fewer groups or intervals.`,
        ),
      ],
    });
}

/** The levels whose spans lie within one interval, the longest first. */
export const LEVELS_OF: Record<Interval, readonly ('month' | 'day')[]> = {
  none: ['month', 'day'],
  month: ['month', 'day'],
  week: ['day'],
  day: ['day'],
  hour: [],
};

/** Rollups of a span of time: the days of a zone, or quarters of an hour. */
export interface RollupSpan extends TimeRange {
  kind: 'days' | 'quarters';
}

/** The whole days of a range, and the quarters before and after them. `hasDays`: the days of the zone are built. */
export function rollupSpans(
  range: TimeRange,
  { interval, timeZone }: Pick<AnalyticsQuery, 'interval' | 'timeZone'>,
  hasDays: boolean,
): RollupSpan[] {
  const quarters = { ...range, kind: 'quarters' } as const;
  if (interval === 'hour' || !hasDays) return [quarters];
  const [from, to] = [dayStartFrom(range.from, timeZone), dayStart(range.to, timeZone)];
  if (from >= to) return [quarters];
  const spans: RollupSpan[] = [
    { kind: 'quarters', from: range.from, to: from },
    { kind: 'days', from, to },
    { kind: 'quarters', from: to, to: range.to },
  ];
  return spans.filter((span) => span.from < span.to);
}
