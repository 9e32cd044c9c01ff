import { type Bins, percentile } from './bins.js';

/** Columns that are added up, in calls, facts and rollups alike. */
export const SUMS = [
  'calls',
  'dialled',
  'answered',
  'human',
  'machine',
  'duration_ms',
  'ring_ms',
  'cost_micros',
  'responses',
  'response_ms',
  'interruptions',
  'tool_calls',
  'tool_failures',
  'searches',
  'search_hits',
  'transfers',
  'transfers_connected',
  'queued',
  'queue_ms',
] as const;
export type Sum = (typeof SUMS)[number];

/** Columns with a histogram of milliseconds. */
export const HISTOGRAMS = ['duration_bins', 'ring_bins', 'response_bins', 'queue_bins'] as const;
export type Histogram = (typeof HISTOGRAMS)[number];

/** Those that a query needs; absent: 0. */
export type Sums = Partial<Record<Sum, number>>;
export type Histograms = Partial<Record<Histogram, Bins>>;

interface MetricDefinition {
  unit: 'calls' | 'ratio' | 'seconds' | 'milliseconds' | 'USD' | 'count';
  description: string;
  sums?: readonly Sum[];
  histogram?: Histogram;
  /** From the columns above; null: there is nothing to compute it from. */
  value: (sums: Sums, histograms: Histograms) => number | null;
}

const total = (unit: MetricDefinition['unit'], sum: Sum, description: string, divisor = 1): MetricDefinition => ({
  unit,
  description,
  sums: [sum],
  value: ({ [sum]: value = 0 }) => round(value / divisor),
});

const ratio = (part: Sum, whole: Sum, description: string): MetricDefinition => ({
  unit: 'ratio',
  description,
  sums: [part, whole],
  value: ({ [part]: some = 0, [whole]: all = 0 }) => (all === 0 ? null : round(some / all)),
});

const average = (
  unit: MetricDefinition['unit'],
  sum: Sum,
  count: Sum,
  description: string,
  divisor = 1,
): MetricDefinition => ({
  unit,
  description,
  sums: [sum, count],
  value: ({ [sum]: value = 0, [count]: all = 0 }) => (all === 0 ? null : round(value / all / divisor)),
});

/** `<name>_p50`, `<name>_p90` and `<name>_p95`. */
function percentiles<Name extends string>(
  name: Name,
  unit: 'seconds' | 'milliseconds',
  histogram: Histogram,
  subject: string,
) {
  const of = (rank: number): MetricDefinition => ({
    unit,
    description: `${rank * 100}th percentile of ${subject}, within 3 %.`,
    histogram,
    value: (_sums, histograms) => {
      const bins = histograms[histogram];
      const ms = bins ? percentile(bins, rank) : null;
      return ms === null ? null : round(unit === 'seconds' ? ms / 1_000 : ms);
    },
  });
  const metrics = { [`${name}_p50`]: of(0.5), [`${name}_p90`]: of(0.9), [`${name}_p95`]: of(0.95) };
  return metrics as Record<`${Name}_p${50 | 90 | 95}`, MetricDefinition>;
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6;

const SECOND = 1_000;
const MICROS = 1_000_000;

/** Every metric that is computed from rollup rows. */
const ROLLUP_METRICS = {
  calls: total('calls', 'calls', 'Calls that have ended.'),
  dialled: total('calls', 'dialled', 'Calls that were dialled, and inbound calls that arrived.'),
  answered: total('calls', 'answered', 'Answered calls.'),
  answer_rate: ratio('answered', 'dialled', 'Answered calls per dialled call.'),
  human: total('calls', 'human', 'Calls that a person answered, by answering machine detection.'),
  machine: total('calls', 'machine', 'Calls that a machine answered, by answering machine detection.'),
  human_rate: ratio('human', 'answered', 'Calls that a person answered per answered call.'),
  machine_rate: ratio('machine', 'answered', 'Calls that a machine answered per answered call.'),
  duration: total('seconds', 'duration_ms', 'Time from the answers to the ends of the calls.', SECOND),
  duration_avg: average('seconds', 'duration_ms', 'answered', 'Average duration of an answered call.', SECOND),
  ...percentiles('duration', 'seconds', 'duration_bins', 'the duration of answered calls'),
  cost: total('USD', 'cost_micros', 'Cost of the calls.', MICROS),
  cost_avg: average('USD', 'cost_micros', 'answered', 'Cost per answered call.', MICROS),
  time_to_answer_avg: average('seconds', 'ring_ms', 'answered', 'Average time to the answer.', SECOND),
  ...percentiles('time_to_answer', 'seconds', 'ring_bins', 'the time to the answer'),
  responses: total('count', 'responses', 'Answers of agents whose latency was measured.'),
  response_latency_avg: average(
    'milliseconds',
    'response_ms',
    'responses',
    "Average time from the end of the user's speech to the first audio of the answer.",
  ),
  ...percentiles(
    'response_latency',
    'milliseconds',
    'response_bins',
    "the time from the end of the user's speech to the first audio of the answer",
  ),
  interruptions: total('count', 'interruptions', 'Interruptions of agents by the user.'),
  tool_calls: total('count', 'tool_calls', 'Tool calls of agents, without knowledge searches.'),
  tool_failures: total('count', 'tool_failures', 'Tool calls that failed.'),
  tool_failure_rate: ratio('tool_failures', 'tool_calls', 'Failed tool calls per tool call.'),
  knowledge_searches: total('count', 'searches', 'Searches in knowledge bases.'),
  knowledge_hits: total('count', 'search_hits', 'Searches that found a passage.'),
  knowledge_hit_rate: ratio('search_hits', 'searches', 'Searches that found a passage per search.'),
  transfers: total('count', 'transfers', 'Attempts to transfer a call.'),
  transfers_connected: total('count', 'transfers_connected', 'Transfers that connected the parties.'),
  queued: total('calls', 'queued', 'Inbound calls that waited for a free place.'),
  queue_wait_avg: average('seconds', 'queue_ms', 'queued', 'Average time that such a call waited.', SECOND),
  ...percentiles('queue_wait', 'seconds', 'queue_bins', 'the time that such calls waited'),
} as const satisfies Record<string, MetricDefinition>;

type RollupMetric = keyof typeof ROLLUP_METRICS;

/** The one metric that cannot be added up: it has rows of its own. */
export const PEAK = 'peak_concurrency';
export type Metric = RollupMetric | typeof PEAK;

export const METRICS: readonly Metric[] = [...(Object.keys(ROLLUP_METRICS) as RollupMetric[]), PEAK];

/** Unit and meaning of every metric. */
export const METRIC_MEANINGS = Object.fromEntries(
  METRICS.map((name) => [
    name,
    name === PEAK
      ? { unit: 'calls', description: 'The most calls that were in progress at the same moment.' }
      : { unit: ROLLUP_METRICS[name].unit, description: ROLLUP_METRICS[name].description },
  ]),
) as Record<Metric, { unit: string; description: string }>;

const definitionOf = (metric: Metric): MetricDefinition | undefined =>
  metric === PEAK ? undefined : ROLLUP_METRICS[metric];

export const sumsOf = (metrics: readonly Metric[]): Sum[] => [
  ...new Set(metrics.flatMap((one) => definitionOf(one)?.sums ?? [])),
];

export const histogramsOf = (metrics: readonly Metric[]): Histogram[] => [
  ...new Set(metrics.flatMap((one) => definitionOf(one)?.histogram ?? [])),
];

/** The value of a metric; `peak_concurrency` is not computed from rollups. */
export const metricValue = (metric: Metric, sums: Sums, histograms: Histograms): number | null =>
  definitionOf(metric)?.value(sums, histograms) ?? null;
