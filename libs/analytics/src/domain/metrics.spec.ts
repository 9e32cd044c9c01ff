import { describe, expect, it } from '@jest/globals';
import { type Metric, METRICS, metricValue, type Sums } from './metrics.js';

/** Different from each other, so that a figure of the wrong columns is another one. */
const ONE_DAY: Sums = {
  calls: 100,
  dialled: 80,
  answered: 40,
  human: 30,
  machine: 10,
  duration_ms: 1_200_000,
  ring_ms: 320_000,
  cost_micros: 2_000_000,
  responses: 500,
  response_ms: 400_000,
  interruptions: 60,
  tool_calls: 25,
  tool_failures: 5,
  searches: 16,
  search_hits: 12,
  transfers: 8,
  transfers_connected: 6,
  queued: 20,
  queue_ms: 90_000,
};

const shown = (sums: Sums): Partial<Record<Metric, number | null>> =>
  Object.fromEntries(METRICS.map((metric) => [metric, metricValue(metric, sums, {})]));

const EXPECTED: Partial<Record<Metric, number | null>> = {
  calls: 100,
  dialled: 80,
  answered: 40,
  answer_rate: 0.5,
  human: 30,
  machine: 10,
  human_rate: 0.75,
  machine_rate: 0.25,
  duration: 1_200,
  duration_avg: 30,
  cost: 2,
  cost_avg: 0.05,
  time_to_answer_avg: 8,
  responses: 500,
  response_latency_avg: 800,
  interruptions: 60,
  tool_calls: 25,
  tool_failures: 5,
  tool_failure_rate: 0.2,
  knowledge_searches: 16,
  knowledge_hits: 12,
  knowledge_hit_rate: 0.75,
  transfers: 8,
  transfers_connected: 6,
  queued: 20,
  queue_wait_avg: 4.5,
};

describe('the metrics', () => {
  it('are computed from the columns that they are named after', () => {
    expect(shown(ONE_DAY)).toMatchObject(EXPECTED);
  });

  it('are null where there is nothing to divide by', () => {
    expect(shown({})).toMatchObject({ calls: 0, answered: 0, answer_rate: null });
  });
});
