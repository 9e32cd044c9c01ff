import {
  AnalyticsCountingService,
  AnalyticsModule,
  type AnalyticsQuery,
  AnalyticsRebuildService,
  AnalyticsService,
  AnalyticsUpkeepService,
  TranscriptSearchService,
} from '@app/analytics';
import { analyticsInsert, CallsModule, CallsService } from '@app/calls';
import { Database } from '@app/database';
import type { INestApplicationContext } from '@nestjs/common';
import { Pool } from 'pg';
import { openServices } from '../test/support/services.js';
import { startDatabaseServer } from './api-database.js';
import { table } from './table.js';

/**
 * $2 `analytics_calls` of an account with ids from $1 on, in the order of time, from $4 days ago to $5 days ago: 50 agents with 3 versions, 20 campaigns,
 * 100 numbers, 5 trunks, independent of each other.
 */
const FACTS = `
  INSERT INTO analytics_calls (call_id, account_id, agent_id, agent_version, campaign_id, number_id, trunk_id, direction, outcome, cause,
    answered_by, created_at, started_at, answered_at, ended_at, cost_micros, response_ms, interruptions, tool_calls, pending, counted)
  SELECT lpad(to_hex(n), 32, '0')::uuid, 1, 1 + h % 50, 1 + (h >> 6) % 3, 1 + (h >> 8) % 20, 1 + (h >> 12) % 100, 1 + (h >> 16) % 5,
    CASE WHEN (h >> 18) % 4 = 0 THEN 'inbound' ELSE 'outbound' END, outcome, outcome || '_cause',
    CASE WHEN outcome = 'completed' THEN (ARRAY['human', 'human', 'machine', 'unknown'])[1 + (h >> 22) % 4] END,
    at, at, CASE WHEN outcome = 'completed' THEN at + (h % 20) * interval '1 second' END, at + (20 + h % 300) * interval '1 second',
    h % 100000, CASE WHEN outcome = 'completed' THEN ARRAY[300 + h % 900, 400 + (h >> 3) % 1200, 350 + (h >> 5) % 2000] END,
    h % 3, h % 2, $3, NOT $3
  FROM (SELECT n, h, now() - interval '1 day' * ($4 - ($4 - $5::float8) * (n - $1) / $2) AS at,
      (ARRAY['completed', 'completed', 'completed', 'no_answer', 'busy', 'failed'])[1 + (h >> 20) % 6] AS outcome
    FROM (SELECT n, hashint8(n) & 268435455 AS h FROM generate_series($1::bigint, $1 + $2::bigint - 1) AS n) AS numbers) AS calls`;

/** 60 words per call out of 3,000: `w0` is in every transcript, `w2999` in one of fifty. */
const WORDS = `
  WITH next AS (SELECT id, account_id FROM calls WHERE id > $1 ORDER BY id LIMIT $2), added AS (
    INSERT INTO call_search (call_id, account_id, words)
    SELECT id, account_id, array_to_tsvector(ARRAY['@' || account_id]) || to_tsvector('simple', (
        SELECT string_agg('w' || floor(3000 * power(random(), 4))::integer, ' ') || ' w' || (hashtext(id::text) & 2047) + 10000
          FROM generate_series(1, 60) WHERE next.id IS NOT NULL)) FROM next)
  SELECT id FROM next ORDER BY id DESC LIMIT 1`;

const query = (given: Partial<AnalyticsQuery>): AnalyticsQuery => ({
  metrics: ['calls', 'answer_rate', 'duration_avg', 'cost'],
  channel: 'phone',
  groupBy: [],
  groupLimit: 20,
  interval: 'day',
  timeZone: 'Europe/Berlin',
  filter: {},
  withTests: false,
  ...given,
});

const lastDays = (days: number): Pick<AnalyticsQuery, 'from'> => ({ from: new Date(Date.now() - days * 86_400_000) });

const PAGES: Record<string, AnalyticsQuery> = {
  '30 days by day': query({}),
  '90 days by day and agent': query({ ...lastDays(90), groupBy: ['agent'] }),
  '90 days by day, agent and outcome': query({ ...lastDays(90), groupBy: ['agent', 'outcome'] }),
  'a year by month, agent and number': query({ ...lastDays(365), interval: 'month', groupBy: ['agent', 'number'] }),
  'a year by week, one agent, outcome': query({
    ...lastDays(365),
    interval: 'week',
    groupBy: ['outcome'],
    filter: { agent_id: 7 },
  }),
  '7 days by hour and outcome': query({ ...lastDays(7), interval: 'hour', groupBy: ['outcome'] }),
  '30 days by day, response p50 and p95': query({ metrics: ['response_latency_p50', 'response_latency_p95'] }),
  '90 days by day and agent, response p95': query({
    ...lastDays(90),
    groupBy: ['agent'],
    metrics: ['response_latency_p95'],
  }),
  '30 days by day, peak concurrency': query({ metrics: ['peak_concurrency'] }),
};

const ROUNDS = 30;
/** Ids of calls that are counted in the measurement, which a kept database gets more of in every run. */
const FIRST_NEW = 1_000_000_000;
/** Calls that one statement adds: less than the time limit of statements. */
const BATCH = 50_000;

async function timesOf(work: () => Promise<unknown>): Promise<{ first: number; p50: number; p95: number }> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  const first = times[0]!;
  times.sort((a, b) => a - b);
  return { first, p50: times[Math.floor(ROUNDS * 0.5)]!, p95: times[Math.floor(ROUNDS * 0.95)]! };
}

const ms = (value: number): string => value.toFixed(1);

async function pages(services: INestApplicationContext, asked: Record<string, AnalyticsQuery>): Promise<void> {
  const analytics = services.get(AnalyticsService);
  const rows: string[][] = [];
  for (const [name, page] of Object.entries(asked)) {
    const { first, p50, p95 } = await timesOf(() => analytics.report(1, page));
    rows.push([name, ms(first), ms(p50), ms(p95)]);
  }
  table(['page', 'first ms', 'p50 ms', 'p95 ms'], rows);
}

const SEARCHES = {
  'a word in every transcript': 'w0',
  'a word in one of fifty': 'w2999',
  'a word in one of 2,000': 'w10007',
  'two frequent words': 'w1 w2',
  'a phrase of frequent words': '"w0 w1"',
  'a phrase that does not occur': '"w2998 w2997 w2996"',
  'an unknown word': 'nothing',
};

async function searches(services: INestApplicationContext): Promise<void> {
  const calls = services.get(CallsService);
  const rows: string[][] = [];
  for (const [name, text] of Object.entries(SEARCHES)) {
    const { query: transcript } = services.get(TranscriptSearchService).parse(1, text);
    const place = { page: 1, perPage: 15 };
    let total = 0;
    const { p50, p95 } = await timesOf(
      async () => ({ count: total } = (await calls.page(1, { transcript }, place)).total),
    );
    rows.push([name, String(total), ms(p50), ms(p95)]);
  }
  table(['search among the calls of one account', 'found', 'p50 ms', 'p95 ms'], rows);
}

/** CPU of this process and time of the database per counted call of the last hour. */
async function counting(services: INestApplicationContext, pool: Pool): Promise<void> {
  const calls = 5_000;
  await pool.query(FACTS, [FIRST_NEW + Math.floor(Math.random() * FIRST_NEW), calls, true, 1 / 24, 0]);
  const before = process.cpuUsage();
  const started = performance.now();
  while ((await services.get(AnalyticsCountingService).countPending()) > 0);
  const { user, system } = process.cpuUsage(before);
  const elapsed = performance.now() - started;
  console.log(
    `counting ${calls} calls: ${(elapsed / calls).toFixed(3)} ms per call, of which ${((user + system) / 1_000 / calls).toFixed(3)} ms CPU of the worker`,
  );
  await pages(services, { [`30 days by day, ${calls} calls of the last hour`]: query({}) });
}

/** What the end of a call costs more: the row of analytics, alone. */
async function ending(pool: Pool): Promise<void> {
  const { rows: ids } = await pool.query<{ id: string }>(
    'SELECT id FROM calls WHERE NOT EXISTS (SELECT FROM analytics_calls WHERE call_id = id) ORDER BY id LIMIT 2000',
  );
  const text = analyticsInsert('(SELECT * FROM calls WHERE id = $1) AS ended');
  const { p50, p95 } = await timesOf(async () => {
    for (const { id } of ids.splice(0, 60)) await pool.query({ name: 'bench-end', text, values: [id] });
  });
  console.log(
    `row of an ended call: ${(p50 / 60).toFixed(3)} ms, p95 ${(p95 / 60).toFixed(3)} ms, with its round trip`,
  );
}

async function fill(url: string, calls: number): Promise<void> {
  const pool = new Pool({ connectionString: url });
  await facts(pool, calls);
  await transcripts(pool);
  await pool.end();
}

/** Facts of a year, as if the workers had counted them, whose rollups are to be built. */
async function facts(pool: Pool, calls: number): Promise<void> {
  const daysAgo = (call: number): number => 365 * (1 - call / calls);
  for (let from = 0; from < calls; from += BATCH) {
    const count = Math.min(BATCH, calls - from);
    await pool.query(FACTS, [from, count, false, daysAgo(from), daysAgo(from + count)]);
  }
  await pool.query(`INSERT INTO analytics_hours (account_id, hour, changed_at)
    SELECT DISTINCT account_id, date_trunc('hour', created_at, 'UTC'), '-infinity'::timestamptz FROM analytics_calls`);
  await pool.query(`INSERT INTO analytics_zones (account_id, time_zone) VALUES (1, 'UTC'), (1, 'Europe/Berlin')`);
  await pool.query(`INSERT INTO analytics_peaks (account_id, dimension, bucket, value, stale)
    SELECT 1, 'all', at, '', true FROM generate_series(date_trunc('hour', now() - interval '30 days'), now(), interval '15 minutes') AS at`);
  await pool.query('ANALYZE analytics_calls, analytics_hours');
}

async function transcripts(pool: Pool): Promise<void> {
  for (let last: string | undefined = '00000000-0000-0000-0000-000000000000'; last !== undefined;)
    last = (await pool.query<{ id: string }>(WORDS, [last, 10_000])).rows[0]?.id;
  await pool.query('VACUUM ANALYZE call_search, calls');
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
};

async function rebuilding(services: INestApplicationContext): Promise<void> {
  let rebuilt = 0;
  const from = new Date(Date.now() - 7 * 86_400_000);
  const spent = await seconds(
    async () => (rebuilt = await services.get(AnalyticsRebuildService).rebuild({ accountId: 1, from })),
  );
  console.log(`rebuild of the last 7 days: ${((spent / rebuilt) * 1e6).toFixed(0)} s per million calls`);
}

async function building(services: INestApplicationContext, pool: Pool, calls: number): Promise<void> {
  const { rows: hours } = await pool.query('SELECT FROM analytics_hours WHERE NOT stale LIMIT 1');
  const built = await seconds(() => services.get(AnalyticsUpkeepService).finish(1));
  if (hours.length === 0)
    console.log(`building the rollups of two time zones: ${((built / calls) * 1e6).toFixed(0)} s per million calls`);
  await pool.query('VACUUM ANALYZE analytics_blocks, analytics_calls, analytics_hours, analytics_peaks');
  const { rows } = await pool.query<Record<'rows' | 'entries' | 'mb' | 'facts', string>>(
    `SELECT count(*) AS rows, sum(entries) AS entries, round(pg_total_relation_size('analytics_blocks') / 1e6) AS mb,
      round(pg_total_relation_size('analytics_calls') / 1e6) AS facts FROM analytics_blocks`,
  );
  const { rows: count, entries, mb, facts } = rows[0]!;
  console.log(`rollups of ${calls} calls: ${count} rows, ${entries} entries, ${mb} MB; facts of calls: ${facts} MB`);
}

/**
 * Pages and counting at `calls` calls of one account, and searches in the transcripts of `searched` calls. With BENCH_KEEP and
 * DATABASE_URL the database is filled once, and the next run only builds the rollups of what was counted since.
 */
export async function run({
  calls = 1_000_000,
  searched = 1_000_000,
}: { calls?: number; searched?: number } = {}): Promise<void> {
  const server = await startDatabaseServer();
  const { url } = await server.database(searched, { name: `analytics_${calls}`, fill: (url) => fill(url, calls) });
  const services = await openServices({ DATABASE_URL: url }, [AnalyticsModule, CallsModule]);
  try {
    const { pool } = services.get(Database);
    await building(services, pool, calls);
    await pages(services, PAGES);
    await searches(services);
    await counting(services, pool);
    await rebuilding(services);
    await ending(pool);
  } finally {
    await services.close();
    await server.stop();
  }
}
