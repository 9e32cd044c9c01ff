import { addTo, type Bins } from './bins.js';
import { columnsIn, type Cuboid, KEY_COLUMNS, KEY_NAMES, type RollupKey } from './dimensions.js';
import { HISTOGRAMS, type Histogram, type Sum, SUMS } from './metrics.js';
import type { RubricFact } from './rubric-rows.js';

/** What a call contributes to the rollups. */
export interface CallFacts {
  call_id: string;
  account_id: number;
  agent_id: number;
  agent_version: number | null;
  campaign_id: number | null;
  number_id: number;
  trunk_id: number | null;
  direction: string;
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

/** Sums and histograms of some calls. */
export interface Measures {
  sums: Partial<Record<Sum, number>>;
  bins: Partial<Record<Histogram, Bins>>;
}

/** A row of rollups, or a change of one. */
export interface RollupRow extends Measures {
  accountId: number;
  zoneId: number;
  cuboid: Cuboid;
  /** Milliseconds since 1970. */
  bucket: number;
  key: RollupKey;
}

export const keyOf = (facts: CallFacts): RollupKey => ({
  agent_id: facts.agent_id,
  agent_version: facts.agent_version ?? 0,
  campaign_id: facts.campaign_id ?? 0,
  number_id: facts.number_id,
  trunk_id: facts.trunk_id ?? 0,
  direction: facts.direction,
  outcome: facts.outcome,
  cause: facts.cause ?? '',
  answered_by: facts.answered_by ?? '',
});

const between = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime());

/** The measures of one call. */
export function measuresOf(facts: CallFacts): Measures {
  const { started_at: startedAt, answered_at: answeredAt, queue_ms: queueMs, response_ms: responses } = facts;
  const bins: Measures['bins'] = {};
  const measured = (histogram: Histogram, ms: number): number => {
    addTo((bins[histogram] ??= new Map()), ms);
    return ms;
  };
  const sums: Measures['sums'] = {
    calls: 1,
    dialled: startedAt ? 1 : 0,
    answered: answeredAt ? 1 : 0,
    human: facts.answered_by === 'human' ? 1 : 0,
    machine: facts.answered_by === 'machine' ? 1 : 0,
    duration_ms: answeredAt ? measured('duration_bins', between(answeredAt, facts.ended_at)) : 0,
    ring_ms: answeredAt ? measured('ring_bins', between(startedAt ?? answeredAt, answeredAt)) : 0,
    cost_micros: Number(facts.cost_micros ?? 0),
    responses: responses?.length ?? 0,
    response_ms: (responses ?? []).reduce((sum, ms) => sum + measured('response_bins', ms), 0),
    interruptions: facts.interruptions,
    tool_calls: facts.tool_calls,
    tool_failures: facts.tool_failures,
    searches: facts.searches,
    search_hits: facts.search_hits,
    transfers: facts.transfers,
    transfers_connected: facts.transfers_connected,
    queued: queueMs === null ? 0 : 1,
    queue_ms: queueMs === null ? 0 : measured('queue_bins', queueMs),
  };
  return { sums, bins };
}

/** Adds calls, or rows of the finest grouping, to rows of coarser groupings. */
export class RollupRows {
  private readonly rows = new Map<string, RollupRow>();

  get all(): RollupRow[] {
    return [...this.rows.values()];
  }

  /** `times`: -1 takes the measures away. */
  add(
    place: Pick<RollupRow, 'accountId' | 'zoneId' | 'bucket'>,
    { key, measures, times = 1 }: { key: RollupKey; measures: Measures; times?: 1 | -1 },
    cuboids: readonly Cuboid[],
  ): void {
    for (const cuboid of cuboids) {
      const row = this.rowFor(place, cuboid, key);
      for (const sum of SUMS) row.sums[sum] = (row.sums[sum] ?? 0) + times * (measures.sums[sum] ?? 0);
      for (const histogram of HISTOGRAMS) addBins(row, histogram, measures.bins[histogram], times);
    }
  }

  private rowFor(
    { accountId, zoneId, bucket }: Pick<RollupRow, 'accountId' | 'zoneId' | 'bucket'>,
    cuboid: Cuboid,
    key: RollupKey,
  ): RollupRow {
    const columns = COLUMNS[cuboid] ?? (COLUMNS[cuboid] = columnsIn(cuboid));
    let name = `${accountId} ${zoneId} ${cuboid} ${bucket}`;
    for (const column of columns) name += ` ${key[column]}`;
    const present = this.rows.get(name);
    if (present) return present;
    const kept = Object.fromEntries(columns.map((column) => [column, key[column]])) as Partial<RollupKey>;
    const row = { accountId, zoneId, cuboid, bucket, key: { ...NO_KEY, ...kept }, sums: {}, bins: {} };
    this.rows.set(name, row);
    return row;
  }
}

const COLUMNS: Record<Cuboid, (keyof RollupKey)[]> = {};

const NO_KEY = Object.fromEntries(
  KEY_NAMES.map((column) => [column, KEY_COLUMNS[column] === 'integer' ? 0 : '']),
) as unknown as RollupKey;

function addBins(row: RollupRow, histogram: Histogram, added: Bins | undefined, times: 1 | -1): void {
  if (!added) return;
  const bins = (row.bins[histogram] ??= new Map());
  for (const [bin, count] of added) bins.set(bin, (bins.get(bin) ?? 0) + times * count);
}
