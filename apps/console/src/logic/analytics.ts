import type { Query } from '../api/client.js';
import type { Analytics, AnalyticsRow } from '../api/types.js';
import { dollars, span, words } from './format.js';

type Unit = 'count' | 'ratio' | 'seconds' | 'milliseconds' | 'usd';

/** The metrics of the overview, with their names in charts. */
const METRICS = {
  calls: ['Calls', 'count'],
  answered: ['Answered', 'count'],
  answer_rate: ['Answer rate', 'ratio'],
  human: ['People', 'count'],
  machine: ['Machines', 'count'],
  duration_avg: ['Average', 'seconds'],
  duration_p50: ['p50', 'seconds'],
  duration_p90: ['p90', 'seconds'],
  cost: ['Cost', 'usd'],
  cost_avg: ['Per answered call', 'usd'],
  peak_concurrency: ['Concurrent calls', 'count'],
  time_to_answer_p50: ['p50', 'seconds'],
  time_to_answer_p90: ['p90', 'seconds'],
  time_to_answer_p95: ['p95', 'seconds'],
  response_latency_p50: ['p50', 'milliseconds'],
  response_latency_p90: ['p90', 'milliseconds'],
  response_latency_p95: ['p95', 'milliseconds'],
  interruptions: ['Interruptions', 'count'],
  tool_calls: ['Tool calls', 'count'],
  tool_failures: ['Failed', 'count'],
  tool_failure_rate: ['Failure rate', 'ratio'],
  knowledge_searches: ['Searches', 'count'],
  knowledge_hits: ['With results', 'count'],
  knowledge_hit_rate: ['Hit rate', 'ratio'],
} as const satisfies Record<string, readonly [string, Unit]>;

export type MetricName = keyof typeof METRICS;

/** A chart. `metrics`: its lines without groups; with groups, one line per group shows the first one. */
interface ChartDefinition {
  name: string;
  title: string;
  metrics: readonly [MetricName, ...MetricName[]];
}

export const CHARTS: readonly ChartDefinition[] = [
  { name: 'calls', title: 'Calls', metrics: ['calls', 'answered'] },
  { name: 'answer-rate', title: 'Answer rate', metrics: ['answer_rate'] },
  { name: 'answered-by', title: 'Answered by people or machines', metrics: ['human', 'machine'] },
  { name: 'duration', title: 'Call duration', metrics: ['duration_p50', 'duration_p90'] },
  { name: 'cost', title: 'Cost', metrics: ['cost'] },
  { name: 'concurrency', title: 'Peak concurrent calls', metrics: ['peak_concurrency'] },
  {
    name: 'time-to-answer',
    title: 'Time to answer',
    metrics: ['time_to_answer_p50', 'time_to_answer_p90', 'time_to_answer_p95'],
  },
  {
    name: 'latency',
    title: 'Agent response time',
    metrics: ['response_latency_p50', 'response_latency_p90', 'response_latency_p95'],
  },
  { name: 'interruptions', title: 'User interruptions', metrics: ['interruptions'] },
  { name: 'tools', title: 'Tools', metrics: ['tool_failures', 'tool_calls'] },
  { name: 'knowledge', title: 'Knowledge searches', metrics: ['knowledge_hits', 'knowledge_searches'] },
];

const PEAK: MetricName = 'peak_concurrency';
/** The dimensions of which the service keeps peaks, with their filters. */
const PEAKS_OF: Readonly<Record<string, string>> = {
  agent: 'agent_id',
  campaign: 'campaign_id',
  number: 'number_id',
  trunk: 'trunk_id',
};

export const DIMENSIONS = [
  ['agent', 'Agent'],
  ['version', 'Version'],
  ['campaign', 'Campaign'],
  ['number', 'Number'],
  ['trunk', 'Trunk'],
  ['outcome', 'Outcome'],
  ['cause', 'Cause'],
  ['direction', 'Direction'],
] as const;

const FILTERS = ['agent_id', 'agent_version', 'campaign_id', 'number_id', 'trunk_id', 'outcome'] as const;
const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
const CHANNELS = ['web', 'any'] as const;
const RANGES: readonly number[] = [1, 7, 30, 90];
const DEFAULT_RANGE = 30;
/** More lines of one chart cannot be told apart. */
const MAX_GROUPS = 5;

/** What the address asks for. */
export interface OverviewState {
  /** Days until today; undefined: `from` and `to`. */
  days: number | undefined;
  from: string;
  to: string;
  /** Empty: as the range needs. */
  interval: string;
  zone: string;
  groupBy: readonly string[];
  filter: Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;
  /** Calls of tester callers count as well. */
  withTests: boolean;
  /** Empty: phone calls. */
  channel: '' | 'web' | 'any';
}

const MS_OF_DAY = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
const day = (text: string | null): string => (text !== null && DAY.test(text) ? text : '');

/** The state in the address; what it cannot mean is left out. `ownZone`: the time zone of the browser. */
export function overviewOf(query: URLSearchParams, ownZone: string): OverviewState {
  const [from, to] = [day(query.get('from')), day(query.get('to'))];
  const days = Number(query.get('days') ?? DEFAULT_RANGE);
  const known = new Set<string>(DIMENSIONS.map(([name]) => name));
  const groupBy = [...new Set((query.get('by') ?? '').split(','))].filter((name) => known.has(name)).slice(0, 2);
  const filter = Object.fromEntries(
    FILTERS.map((name) => [name, query.get(name) ?? ''] as const).filter(([, value]) => value !== ''),
  );
  return {
    days: from || to ? undefined : RANGES.includes(days) ? days : DEFAULT_RANGE,
    from,
    to,
    interval: INTERVALS.find((one) => one === query.get('interval')) ?? '',
    zone: query.get('zone') || ownZone,
    groupBy,
    filter,
    withTests: query.get('include_tests') === 'true',
    channel: CHANNELS.find((one) => one === query.get('channel')) ?? '',
  };
}

/** The calendar day in a time zone. */
const dayIn = (zone: string, now: Date): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now);

const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * MS_OF_DAY).toISOString().slice(0, 10);

function usualInterval(from: string, to: string): string {
  const days = (Date.parse(to) - Date.parse(from)) / MS_OF_DAY + 1;
  if (days <= 2) return 'hour';
  if (days <= 92) return 'day';
  return days <= 400 ? 'week' : 'month';
}

/** Whether the service keeps the peaks of these groups and filters; it keeps those of phone calls without tests. */
function hasPeaks({ groupBy, filter, withTests, channel }: OverviewState): boolean {
  if (withTests || channel !== '') return false;
  const named = new Set([...groupBy.map((name) => PEAKS_OF[name]), ...Object.keys(filter)]);
  return (
    groupBy.length <= 1 && named.size <= 1 && [...named].every((one) => Object.values(PEAKS_OF).includes(one ?? ''))
  );
}

/** The metrics that the state can have. */
export const metricsOf = (state: OverviewState): MetricName[] =>
  (Object.keys(METRICS) as MetricName[]).filter((name) => name !== PEAK || hasPeaks(state));

/** The request for the lines of all charts, or for the totals of the range. */
export function analyticsQuery(state: OverviewState, kind: 'lines' | 'totals', now = new Date()): Query {
  const to = state.to || dayIn(state.zone, now);
  const from = state.from || daysBefore(to, (state.days ?? DEFAULT_RANGE) - 1);
  const isTotal = kind === 'totals';
  const metrics = metricsOf(isTotal ? { ...state, groupBy: [] } : state);
  return {
    metrics: metrics.join(','),
    interval: isTotal ? 'none' : state.interval || usualInterval(from, to),
    time_zone: state.zone,
    date_from: from,
    date_to: to,
    ...(!isTotal && state.groupBy.length > 0 && { group_by: state.groupBy.join(','), group_limit: MAX_GROUPS }),
    ...state.filter,
    ...(state.withTests && { include_tests: 'true' }),
    ...(state.channel !== '' && { channel: state.channel }),
  };
}

/** One line of a chart: a value per interval; null: unknown. */
export interface Line {
  name: string;
  values: (number | null)[];
}

/** With groups, a chart of several metrics shows the first one. */
export function titleOf({ title, metrics: [first, ...more] }: ChartDefinition, { meta }: Analytics): string {
  const isFirstOnly = meta.group_by.length > 0 && more.length > 0 && METRICS[first][0] !== title;
  return isFirstOnly ? `${title}: ${METRICS[first][0].toLowerCase()}` : title;
}

const isCounted = (metric: MetricName): boolean => METRICS[metric][1] === 'count' || metric === 'cost';

const groupName = ({ group, is_other: isOther }: AnalyticsRow): string =>
  isOther ? 'Other' : group.map(({ dimension, value, label }) => nameOf(dimension, value, label)).join(' · ');

function nameOf(dimension: string, value: string | null, label: string | null): string {
  if (value === null) return `No ${dimension}`;
  if (dimension === 'version') return `${label ?? 'Agent'} v${value.split(':')[1] ?? value}`;
  if (label !== null) return label;
  return /^\d+$/.test(value) ? `${words(dimension)} ${value}` : words(value);
}

/** The lines of a chart. An interval without calls counts as zero, and has no averages. */
export function linesOf({ data, meta }: Analytics, metrics: readonly MetricName[]): Line[] {
  const place = new Map(meta.intervals.map((start, index) => [start, index]));
  const lines = new Map<string, Line>();
  const lineOf = (key: string, name: string, metric: MetricName): Line => {
    const known = lines.get(key);
    if (known) return known;
    const line = { name, values: meta.intervals.map(() => (isCounted(metric) ? 0 : null)) };
    lines.set(key, line);
    return line;
  };
  const [first] = metrics;
  if (meta.group_by.length > 0 && first) {
    for (const row of data)
      lineOf(JSON.stringify([row.is_other, row.group.map(({ value }) => value)]), groupName(row), first).values[
        place.get(row.start) ?? -1
      ] = row.values[first] ?? null;
    return [...lines.values()];
  }
  for (const metric of metrics) {
    const line = lineOf(metric, METRICS[metric][0], metric);
    for (const row of data) line.values[place.get(row.start) ?? -1] = row.values[metric] ?? null;
  }
  return [...lines.values()];
}

export const shownRatio = (ratio: number | null): string =>
  ratio === null ? '–' : `${(ratio * 100).toFixed(1).replace(/\.0$/, '')} %`;

/** A value with its unit; an en dash for none. */
export function shownValue(metric: MetricName, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  switch (METRICS[metric][1]) {
    case 'ratio':
      return shownRatio(value);
    case 'seconds':
      return span(value * 1_000);
    case 'milliseconds':
      return span(value);
    case 'usd':
      return dollars(value);
  }
  return value.toLocaleString('en-US');
}

/** The beginning of an interval in its time zone, as the API wrote it. */
export function intervalName(start: string, interval: string): string {
  const [date = '', time = ''] = start.split('T');
  if (interval === 'hour') return `${date} ${time.slice(0, 5)}`;
  if (interval === 'month') return date.slice(0, 7);
  return interval === 'week' ? `Week of ${date}` : date;
}
