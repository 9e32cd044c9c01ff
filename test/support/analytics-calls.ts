import type { Dimension, Metric } from '@app/analytics';
import { analyticsInsert } from '@app/calls';
import { newId } from '@app/common';
import type { Pool } from 'pg';
import { aCall } from './factories.js';
import type { SeededRandom } from './seeded-random.js';

/** A made-up ended call with everything that analytics count. */
export interface MadeCall {
  id: string;
  accountId: number;
  agent: number;
  version: number | null;
  campaign: number | null;
  number: number;
  trunk: number | null;
  direction: string;
  outcome: string;
  cause: string;
  answered_by: string | null;
  createdAt: number;
  startedAt: number | null;
  answeredAt: number | null;
  endedAt: number;
  queueMs: number | null;
  costMicros: number;
  latencies: number[];
  interruptions: number;
  tools: boolean[];
  searches: number[];
  transfers: boolean[];
  text: string;
}

export interface Choices {
  accountId: number;
  agents: number[];
  numbers: number[];
  trunks: number[];
}

const SECOND = 1_000;

export function madeCall(random: SeededRandom, { accountId, agents, numbers, trunks }: Choices, at: number): MadeCall {
  const outcome = random.pick(['completed', 'completed', 'completed', 'failed', 'busy', 'no_answer', 'cancelled']);
  const isInbound = random.chance(0.3);
  const startedAt = outcome === 'cancelled' ? null : at + random.int(0, 20 * SECOND);
  const answeredAt = outcome === 'completed' ? startedAt! + random.int(0, 30 * SECOND) : null;
  const endedAt = (answeredAt ?? startedAt ?? at) + random.int(0, answeredAt ? 3_000 * SECOND : 40 * SECOND);
  const many = <T>(most: number, make: () => T): T[] =>
    answeredAt ? Array.from({ length: random.int(0, most) }, make) : [];
  return {
    id: newId(),
    accountId,
    agent: random.pick(agents),
    version: random.pick([null, 1, 2]),
    campaign: isInbound ? null : random.pick([null, 7, 8]),
    number: random.pick(numbers),
    trunk: random.pick([null, ...trunks]),
    direction: isInbound ? 'inbound' : 'outbound',
    outcome,
    cause: outcome === 'completed' ? random.pick(['normal_clearing', 'agent_hangup']) : `cause_${outcome}`,
    answered_by: answeredAt ? random.pick([null, 'human', 'machine', 'unknown']) : null,
    createdAt: at,
    startedAt,
    answeredAt,
    endedAt,
    queueMs: isInbound && random.chance(0.5) ? random.int(0, 90 * SECOND) : null,
    costMicros: answeredAt ? random.int(0, 2_000_000) : 0,
    latencies: many(5, () => random.int(1, 9_000)),
    interruptions: many(3, () => 0).length,
    tools: many(3, () => random.chance(0.7)),
    searches: many(2, () => random.int(0, 2)),
    transfers: many(2, () => random.chance(0.5)),
    text: random.pick([
      'My parcel is late.',
      'I want a refund for order 4711.',
      'Ich hätte gern Auskunft über die Straße.',
    ]),
  };
}

const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** Inserts the call as its end leaves it. `isQueued`: with the row that the end writes for analytics. */
export async function insertCall(pool: Pool, call: MadeCall, isQueued = true): Promise<void> {
  const transfers = call.transfers.map((isConnected) => ({
    status: isConnected ? 'completed' : 'busy',
    joined_at: isConnected ? new Date(call.endedAt).toISOString() : null,
  }));
  await aCall(
    pool,
    { accountId: call.accountId, agentId: call.agent, numberId: call.number },
    {
      id: call.id,
      agent_version: call.version,
      campaign_id: call.campaign,
      trunk_id: call.trunk,
      direction: call.direction,
      status: call.outcome,
      hangup_cause: call.cause,
      answered_by: call.answered_by,
      created_at: date(call.createdAt),
      started_at: date(call.startedAt),
      answered_at: date(call.answeredAt),
      ended_at: date(call.endedAt),
      queued_at: call.queueMs === null ? null : date(call.createdAt),
      served_at: call.queueMs === null ? null : date(call.createdAt + call.queueMs),
      cost_micros: call.outcome === 'completed' ? call.costMicros : null,
      transfers: JSON.stringify(transfers),
    },
  );
  const events = [
    { type: 'turn', data: { turn: 1, role: 'callee', text: call.text, started_ms: 100, ended_ms: 900 } },
    ...call.latencies.map((heard_ms) => ({
      type: 'turn',
      data: { role: 'agent', text: 'Yes.', started_ms: 1_000, latency: { heard_ms } },
    })),
    ...Array.from({ length: call.interruptions }, () => ({ type: 'interrupted', data: { by: 'speech' } })),
    { type: 'interrupted', data: { by: 'command' } },
    ...call.tools.map((ok) => ({ type: 'tool_call', data: { name: 'order_status', ok, result: {} } })),
    ...call.searches.map((found) => ({
      type: 'tool_call',
      data: { name: 'search_knowledge_base', ok: true, result: { results: Array.from({ length: found }, () => ({})) } },
    })),
  ];
  await pool.query(
    `INSERT INTO call_events (call_id, seq, type, data) SELECT $1, n, e ->> 'type', e -> 'data' FROM jsonb_array_elements($2) WITH ORDINALITY AS t (e, n)`,
    [call.id, JSON.stringify(events)],
  );
  if (isQueued)
    await pool.query(analyticsInsert('calls').replace('ON CONFLICT', 'WHERE id = $1 ON CONFLICT'), [call.id]);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

function exactPercentile(values: number[], rank: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.length === 0 ? null : sorted[Math.max(1, Math.ceil(rank * sorted.length)) - 1]!;
}

/** Every metric except peaks, counted from the calls one by one. */
export function bruteForce(calls: readonly MadeCall[]): Record<Exclude<Metric, 'peak_concurrency'>, number | null> {
  const answered = calls.filter((call) => call.answeredAt !== null);
  const durations = answered.map((call) => (call.endedAt - call.answeredAt!) / SECOND);
  const rings = answered.map((call) => (call.answeredAt! - call.startedAt!) / SECOND);
  const waits = calls.flatMap((call) => (call.queueMs === null ? [] : [call.queueMs / SECOND]));
  const latencies = calls.flatMap((call) => call.latencies);
  const tools = calls.flatMap((call) => call.tools);
  const searches = calls.flatMap((call) => call.searches);
  const transfers = calls.flatMap((call) => call.transfers);
  const dialled = calls.filter((call) => call.startedAt !== null).length;
  const cost = sum(calls.map((call) => call.costMicros)) / 1e6;
  const by = (who: string): number => calls.filter((call) => call.answered_by === who).length;
  const failed = tools.filter((ok) => !ok).length;
  const hits = searches.filter((found) => found > 0).length;
  return {
    calls: calls.length,
    dialled,
    answered: answered.length,
    answer_rate: share(answered.length, dialled),
    human: by('human'),
    machine: by('machine'),
    human_rate: share(by('human'), answered.length),
    machine_rate: share(by('machine'), answered.length),
    duration: sum(durations),
    duration_avg: share(sum(durations), answered.length),
    duration_p50: exactPercentile(durations, 0.5),
    duration_p90: exactPercentile(durations, 0.9),
    duration_p95: exactPercentile(durations, 0.95),
    cost,
    cost_avg: share(cost, answered.length),
    time_to_answer_avg: share(sum(rings), answered.length),
    time_to_answer_p50: exactPercentile(rings, 0.5),
    time_to_answer_p90: exactPercentile(rings, 0.9),
    time_to_answer_p95: exactPercentile(rings, 0.95),
    responses: latencies.length,
    response_latency_avg: share(sum(latencies), latencies.length),
    response_latency_p50: exactPercentile(latencies, 0.5),
    response_latency_p90: exactPercentile(latencies, 0.9),
    response_latency_p95: exactPercentile(latencies, 0.95),
    interruptions: sum(calls.map((call) => call.interruptions)),
    tool_calls: tools.length,
    tool_failures: failed,
    tool_failure_rate: share(failed, tools.length),
    knowledge_searches: searches.length,
    knowledge_hits: hits,
    knowledge_hit_rate: share(hits, searches.length),
    transfers: transfers.length,
    transfers_connected: transfers.filter(Boolean).length,
    queued: waits.length,
    queue_wait_avg: share(sum(waits), waits.length),
    queue_wait_p50: exactPercentile(waits, 0.5),
    queue_wait_p90: exactPercentile(waits, 0.9),
    queue_wait_p95: exactPercentile(waits, 0.95),
  };
}

/** The most calls in progress at one of the starts in a span of time. */
export function bruteForcePeak(calls: readonly MadeCall[], from: number, to: number): number {
  const live = calls.filter((call) => call.startedAt !== null);
  const isLive = (call: MadeCall, at: number): boolean =>
    call.startedAt! <= at && Math.max(call.endedAt, call.startedAt! + 1) > at;
  const moments = [from, ...live.map((call) => call.startedAt!)].filter((at) => at >= from && at < to);
  return Math.max(0, ...moments.map((at) => live.filter((call) => isLive(call, at)).length));
}

/** The value of each dimension, as the API shows it. */
export const VALUES: Record<Dimension, (call: MadeCall) => string | null> = {
  agent: (call) => String(call.agent),
  version: (call) => (call.version === null ? String(call.agent) : `${call.agent}:${call.version}`),
  campaign: (call) => call.campaign && String(call.campaign),
  number: (call) => String(call.number),
  trunk: (call) => call.trunk && String(call.trunk),
  direction: (call) => call.direction,
  outcome: (call) => call.outcome,
  cause: (call) => call.cause,
  answered_by: (call) => call.answered_by,
} as Record<Dimension, (call: MadeCall) => string | null>;

/** The local interval of a moment, found without the product's code: its date and, for hours, the moment's hour and offset. */
export function localInterval(at: number, interval: string, zone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', hourCycle: 'h23', timeZoneName: 'longOffset' },
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = `${parts.year}-${parts.month}-${parts.day}`;
  if (interval === 'none') return '';
  if (interval === 'hour') return `${day} ${parts.hour} ${parts.timeZoneName}`;
  if (interval === 'month') return day.slice(0, 7);
  if (interval === 'day') return day;
  const monday = new Date(`${day}T00:00Z`);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  return monday.toISOString().slice(0, 10);
}

const PERCENTILE = /_p\d\d$/;

/** The metrics that differ. */
export function compare(values: Record<string, number | null>, truth: Record<string, number | null>): string[] {
  return Object.entries(truth).flatMap(([metric, exact]) => {
    const value = values[metric] ?? null;
    if (exact === null || value === null) return exact === value ? [] : [`${metric}: ${value} instead of ${exact}`];
    const limit = PERCENTILE.test(metric) ? 0.031 * exact + 0.001 : 1e-5 * Math.max(1, Math.abs(exact));
    return Math.abs(value - exact) <= limit ? [] : [`${metric}: ${value} instead of ${exact}`];
  });
}
