import type { CallChannel } from '@app/calls';
import { binOf } from './bins.js';
import type { Block } from './block.js';
import { KEY_NAMES, type RollupKey } from './dimensions.js';
import { QUARTER_MS } from './intervals.js';
import { HISTOGRAMS, type Histogram, type Sum, SUMS } from './metrics.js';
import type { RubricFact } from './rubric-rows.js';

/** What a call contributes to the rollups. */
export interface CallFacts {
  call_id: string;
  account_id: number;
  agent_id: number;
  agent_version: number | null;
  campaign_id: number | null;
  number_id: number | null;
  trunk_id: number | null;
  direction: string;
  channel: CallChannel;
  outcome: string;
  cause: string | null;
  answered_by: string | null;
  created_at: Date;
  started_at: Date | null;
  answered_at: Date | null;
  ended_at: Date;
  queue_ms: number | null;
  cost_micros: string | null;
  transfers: number;
  transfers_connected: number;
  response_ms: number[] | null;
  interruptions: number;
  tool_calls: number;
  tool_failures: number;
  searches: number;
  search_hits: number;
  is_test: boolean;
  rubric: RubricFact[] | null;
}

const keyOf = (facts: CallFacts): RollupKey => ({
  agent_id: facts.agent_id,
  agent_version: facts.agent_version ?? 0,
  campaign_id: facts.campaign_id ?? 0,
  number_id: facts.number_id ?? 0,
  trunk_id: facts.trunk_id ?? 0,
  direction: facts.direction,
  outcome: facts.outcome,
  cause: facts.cause ?? '',
  answered_by: facts.answered_by ?? '',
});

const between = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime());

/** The values of a call that its histograms contain, in ms. */
const measure = ({
  started_at: startedAt,
  answered_at: answeredAt,
  ...facts
}: CallFacts): Record<Histogram, number[]> => ({
  duration_bins: answeredAt ? [between(answeredAt, facts.ended_at)] : [],
  ring_bins: answeredAt ? [between(startedAt ?? answeredAt, answeredAt)] : [],
  response_bins: facts.response_ms ?? [],
  queue_bins: facts.queue_ms === null ? [] : [facts.queue_ms],
});

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function sumsOf(facts: CallFacts, values: Record<Histogram, number[]>): Record<Sum, number> {
  return {
    calls: 1,
    dialled: facts.started_at ? 1 : 0,
    answered: facts.answered_at ? 1 : 0,
    human: facts.answered_by === 'human' ? 1 : 0,
    machine: facts.answered_by === 'machine' ? 1 : 0,
    duration_ms: total(values.duration_bins),
    ring_ms: total(values.ring_bins),
    cost_micros: Number(facts.cost_micros ?? 0),
    responses: values.response_bins.length,
    response_ms: total(values.response_bins),
    interruptions: facts.interruptions,
    tool_calls: facts.tool_calls,
    tool_failures: facts.tool_failures,
    searches: facts.searches,
    search_hits: facts.search_hits,
    transfers: facts.transfers,
    transfers_connected: facts.transfers_connected,
    queued: values.queue_bins.length,
    queue_ms: total(values.queue_bins),
  };
}

/** A block with one entry per call. */
export function blockOfCalls(calls: readonly CallFacts[]): Block {
  const labels = new Map<string, number>();
  const numberOf = (value: number | string): number => {
    if (typeof value === 'number') return value;
    if (!labels.has(value)) labels.set(value, labels.size);
    return labels.get(value)!;
  };
  const keys = calls.map(keyOf);
  const values = calls.map(measure);
  const sums = calls.map((facts, index) => sumsOf(facts, values[index]!));
  const block: Block = { entries: calls.length, labels: [], keys: {}, sums: {}, bins: {} };
  for (const column of KEY_NAMES) block.keys[column] = Float64Array.from(keys, (key) => numberOf(key[column]));
  block.keys.quarter = Float64Array.from(calls, ({ created_at: at }) => Math.floor(at.getTime() / QUARTER_MS) % 4);
  for (const sum of SUMS)
    if (sums.some((one) => one[sum] !== 0)) block.sums[sum] = Float64Array.from(sums, (one) => one[sum]);
  for (const name of HISTOGRAMS) {
    const bins = values.flatMap((one) => one[name].map(binOf));
    const pairs = Float64Array.from(values, (one) => one[name].length);
    if (bins.length > 0)
      block.bins[name] = { pairs, bins: Float64Array.from(bins), counts: new Uint8Array(bins.length).fill(1) };
  }
  return { ...block, labels: [...labels.keys()] };
}

/** Whether calls with these facts are counted alike: only the answers to rubrics differ, which are counted elsewhere. */
export const areCountedAlike = (one: CallFacts, other: CallFacts): boolean => {
  const count = ({ rubric: _rubric, ...facts }: CallFacts): string => JSON.stringify(facts);
  return count(one) === count(other);
};
