import { AnalyticsCountingService } from './analytics-counting.service.js';
import { AnalyticsModule } from './analytics.module.js';
import { AnalyticsRebuildService } from './analytics-rebuild.service.js';
import { AnalyticsUpkeepService } from './analytics-upkeep.service.js';
import { type AnalyticsView } from './analytics.service.js';
import { type Dimension } from './domain/dimensions.js';
import { METRICS } from './domain/metrics.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  bruteForce,
  bruteForcePeak,
  type Choices,
  compare,
  insertCall,
  localInterval,
  type MadeCall,
  madeCall,
  VALUES,
} from '../../../test/support/analytics-calls.js';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { anAgent, aNumber, aTrunk, aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { SeededRandom } from '../../../test/support/seeded-random.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { retentionOf } from '../../../test/support/retention.js';
import { openServices } from '../../../test/support/services.js';
import { statementsOf } from '../../../test/support/statements-of.js';

const random = new SeededRandom('analytics');
/** Each with the time of a change of the clocks: Berlin, New York, Lord Howe (30 minutes), Beirut (at midnight). */
const CHANGES = ['2026-03-29T01:00Z', '2026-11-01T06:00Z', '2026-04-04T15:00Z', '2026-03-28T22:00Z'].map((at) =>
  Date.parse(at),
);
const HOUR = 3_600_000;
/** In Kathmandu, where days begin at a quarter past an hour of UTC. The next day has no calls. */
const BEFORE_MIDNIGHT = Date.parse('2026-06-10T18:05Z');

let api: InProcessApi;
let own: Workspace;
let other: Workspace;
const calls: MadeCall[] = [];

async function choicesOf(workspace: Workspace): Promise<Choices> {
  const { accountId, agentId, numberId, trunkId } = workspace;
  return {
    accountId,
    agents: [agentId, await anAgent(api.pool, accountId), await anAgent(api.pool, accountId)],
    numbers: [numberId, await aNumber(api.pool, accountId)],
    trunks: [trunkId, await aTrunk(api.pool, accountId)],
  };
}

const service = <T>(type: new (...args: never[]) => T): T => api.app.get(type, { strict: false });

/** What the worker does until nothing is left. */
async function count(): Promise<void> {
  while ((await service(AnalyticsCountingService).countPending()) > 0);
  await service(AnalyticsUpkeepService).finish();
}

async function ask(query: Record<string, string>, token = own.token): Promise<AnalyticsView> {
  const answer = await api.as(token).get('/api/v1/analytics').query(query);
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body as AnalyticsView;
}

/** Calls of a small time around the changes of the clocks, so that many share an hour. */
beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
  other = await aWorkspace(api.pool);
  for (const choices of [await choicesOf(own), await choicesOf(other)]) {
    for (let made = 0; made < 110; made++) {
      const at = random.pick(CHANGES) + random.int(-40 * HOUR, 40 * HOUR);
      calls.push(madeCall(random, choices, at));
    }
    calls.push(madeCall(random, choices, BEFORE_MIDNIGHT));
  }
  for (const call of calls) await insertCall(api.pool, call);
  await count();
});
afterAll(() => api.stop());

const ofOwn = (): MadeCall[] => calls.filter((call) => call.accountId === own.accountId);

interface Case {
  zone: string;
  interval: string;
  from: string;
  to: string;
  groups: Dimension[];
  filter: Record<string, string>;
}

/** The rows that a query must return, by interval and group. */
function expected({ zone, interval, groups, filter, from, to }: Case): Map<string, MadeCall[]> {
  const rows = new Map<string, MadeCall[]>();
  for (const call of ofOwn()) {
    const day = localInterval(call.createdAt, 'day', zone);
    if (day < from || day > to) continue;
    const isWanted = Object.entries(filter).every(([name, value]) => {
      const dimension = name.replace(/_id$/, '') as Dimension;
      return VALUES[dimension](call) === value;
    });
    if (!isWanted) continue;
    const key = [
      localInterval(call.createdAt, interval, zone),
      ...groups.map((one) => VALUES[one](call) ?? 'none'),
    ].join(' | ');
    rows.set(key, [...(rows.get(key) ?? []), call]);
  }
  return rows;
}

async function check(one: Case): Promise<number> {
  const { zone: time_zone, interval, from: date_from, to: date_to, groups, filter } = one;
  const metrics = METRICS.filter((metric) => metric !== 'peak_concurrency').join(',');
  const group_by = groups.join(',');
  const query = { time_zone, interval, date_from, date_to, group_by, metrics, group_limit: '100', ...filter };
  const view = await ask({ ...query, ...(interval === 'hour' && groups.length > 0 && { group_limit: '40' }) });
  const truth = expected(one);
  const found = new Map(
    view.data.map((row) => {
      const start = localInterval(Date.parse(row.start), interval, time_zone);
      return [[start, ...row.group.map(({ value }) => value ?? 'none')].join(' | '), row.values] as const;
    }),
  );
  expect([one, found.size, view.data.length]).toEqual([one, truth.size, truth.size]);
  for (const [key, counted] of truth)
    expect([one, key, compare(found.get(key) ?? {}, bruteForce(counted))]).toEqual([one, key, []]);
  return truth.size;
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Asia/Beirut'];
const ALL: Dimension[] = [
  'agent',
  'version',
  'campaign',
  'number',
  'trunk',
  'direction',
  'outcome',
  'cause',
  'answered_by',
];

const filters = (): Record<string, string>[] => [
  {},
  { outcome: 'completed' },
  { agent_id: String(own.agentId), direction: 'outbound' },
  { campaign_id: '7' },
  { answered_by: 'human', number_id: String(own.numberId) },
];

async function checkAll(times: number): Promise<void> {
  let rows = 0;
  for (let asked = 0; asked < times; asked++) {
    const zone = random.pick(ZONES);
    const groups = [...new Set([random.pick(ALL), random.pick(ALL)])].slice(0, random.int(0, 2));
    const [interval, from, to] = random.pick([
      ['day', '2026-03-25', '2026-04-08'],
      ['week', '2026-03-01', '2026-11-30'],
      ['month', '2026-01-01', '2026-12-31'],
      ['none', '2026-03-29', '2026-11-01'],
      ['hour', '2026-03-28', '2026-04-05'],
    ] as const);
    rows += await check({ zone, interval, from, to, groups, filter: random.pick(filters()) });
  }
  expect(rows).toBeGreaterThan(times);
}

describe('analytics', () => {
  it('equal a count of the calls one by one, for every metric, dimension, filter, interval and time zone', async () => {
    for (const dimension of ALL)
      await check({
        zone: 'UTC',
        interval: 'none',
        from: '2026-01-01',
        to: '2026-12-31',
        groups: [dimension],
        filter: {},
      });
    await checkAll(15);
    await count();
    const built = await api.pool.query(
      `SELECT FROM analytics_zones WHERE account_id = $1 AND days_until > '-infinity'`,
      [own.accountId],
    );
    expect(built.rowCount).toBeGreaterThan(2);
    await checkAll(20);
    const [from, to] = ['2026-06-01', '2026-06-30'];
    const june = { zone: 'Asia/Kathmandu', interval: 'day', from, to, groups: [], filter: {} };
    await check(june);
    await count();
    expect(await check(june)).toBe(1);
  });

  it('know the exact peak of concurrent calls per interval, of all calls and per agent', async () => {
    const range = {
      interval: 'hour',
      date_from: '2026-03-28',
      date_to: '2026-03-31',
      metrics: 'calls,peak_concurrency',
    };
    const { data } = await ask(range);
    expect(data.length).toBeGreaterThan(20);
    for (const { start, end, values } of data) {
      const peak = bruteForcePeak(ofOwn(), Date.parse(start), Date.parse(end));
      expect([start, values.peak_concurrency ?? 0]).toEqual([start, peak]);
    }
    const perAgent = await ask({ ...range, interval: 'none', group_by: 'agent' });
    for (const { start, end, group, values } of perAgent.data) {
      const mine = ofOwn().filter((call) => String(call.agent) === group[0]!.value);
      expect(values.peak_concurrency).toBe(bruteForcePeak(mine, Date.parse(start), Date.parse(end)));
    }
    const refused = await api
      .as(own.token)
      .get('/api/v1/analytics')
      .query({ ...range, group_by: 'outcome' });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['metrics']]);
  });

  it('merge the groups beyond the limit into one row of others, and name agents', async () => {
    const { data } = await ask({
      interval: 'none',
      date_from: '2026-01-01',
      date_to: '2026-12-31',
      group_by: 'agent',
      group_limit: '1',
    });
    expect(data.map((row) => row.is_other)).toEqual([false, true]);
    expect(data[0]?.group[0]?.label).toMatch(/^agent-/);
    expect(data[1]?.group).toEqual([{ dimension: 'agent', value: null, label: null }]);
    expect(data.reduce((total, row) => total + (row.values.calls ?? 0), 0)).toBe(ofOwn().length);
  });

  it('keep a deleted call and a deleted transcript counted, also after a rebuild', async () => {
    const call = ofOwn().find(({ latencies, outcome }) => outcome === 'completed' && latencies.length > 0)!;
    const later = ofOwn().find((one) => one.outcome === 'completed' && one.tools.length > 0 && one !== call)!;
    expect((await api.as(own.token).delete(`/api/v1/calls/${call.id}`)).status).toBe(200);
    await api.pool.query(`DELETE FROM call_events WHERE call_id = $1 AND type IN ('turn', 'tool_call')`, [later.id]);
    await api.pool.query('DELETE FROM call_search WHERE call_id = $1', [later.id]);
    await api.pool.query('UPDATE calls SET transcript_deleted_at = now() WHERE id = $1', [later.id]);
    await service(AnalyticsRebuildService).rebuild({ accountId: own.accountId });
    await checkAll(6);
  });
});

/** Every row of the rollups of an account, without the ids of time zones, which differ. */
async function rollups(accountId: number): Promise<unknown[]> {
  const { rows } = await api.pool.query(
    `SELECT to_jsonb(b) - 'zone_id' || jsonb_build_object('zone', z.time_zone) AS row FROM analytics_blocks b
      LEFT JOIN analytics_zones z ON z.id = b.zone_id WHERE b.account_id = $1 ORDER BY 1`,
    [accountId],
  );
  const peaks = await api.pool.query(
    `SELECT to_jsonb(p) AS row FROM analytics_peaks p WHERE account_id = $1 ORDER BY 1`,
    [accountId],
  );
  return [...rows, ...peaks.rows];
}

describe('the search in transcripts', () => {
  it('finds nothing after the retention or the call is deleted', async () => {
    const third = await aWorkspace(api.pool);
    const choices = await choicesOf(third);
    for (let made = 0; made < 20; made++)
      await insertCall(api.pool, madeCall(random, choices, Date.now() - made * 60_000));
    await count();
    const find = async (): Promise<string[]> => {
      const answer = await api.as(third.token).get('/api/v1/calls').query({ transcript: 'refund', per_page: '100' });
      return (answer.body.data as { call_id: string }[]).map(({ call_id: id }) => id);
    };
    const [deleted, ...others] = await find();
    expect(others.length).toBeGreaterThan(1);
    await api.as(third.token).delete(`/api/v1/calls/${deleted}`).expect(200);
    expect((await find()).toSorted()).toEqual(others.toSorted());
    await api.pool.query('UPDATE accounts SET transcripts_days = 1 WHERE id = $1', [third.accountId]);
    const older = `UPDATE calls SET ended_at = now() - interval '9 days' WHERE account_id = $1`;
    await api.pool.query(older, [third.accountId]);
    await retentionOf(api.app, new LogLines().log).deleteExpired();
    expect(await find()).toEqual([]);
    const left = await api.pool.query('SELECT 1 FROM call_search WHERE account_id = $1', [third.accountId]);
    expect(left.rows).toEqual([]);
  });
});

describe('an api that keeps rollups in memory', () => {
  it('answers exactly while another process counts late calls and builds their rollups again', async () => {
    const worker = await openServices({ DATABASE_URL: api.databaseUrl }, [AnalyticsModule]);
    const choices = await choicesOf(own);
    const page: Omit<Case, 'interval' | 'from' | 'to'> = { zone: 'Europe/Berlin', groups: ['agent'], filter: {} };
    const pages = [
      { ...page, interval: 'month', from: '2026-01-01', to: '2026-12-31' },
      { ...page, interval: 'hour', from: '2026-03-28', to: '2026-03-30' },
    ];
    const checkPages = async (): Promise<void> => {
      for (const one of [...pages, ...pages]) await check(one);
    };
    try {
      await checkPages();
      for (let late = 0; late < 3; late++) {
        calls.push(madeCall(random, choices, CHANGES[0]!));
        await insertCall(api.pool, calls.at(-1)!);
        await worker.get(AnalyticsCountingService).countPending();
        await checkPages();
        await worker.get(AnalyticsUpkeepService).finish();
        await checkPages();
      }
      const sent = await statementsOf(api.pool, checkPages);
      expect(sent.filter(({ text }) => text.includes('AS bytes'))).toEqual([]);
    } finally {
      await worker.close();
    }
  });
});

describe('a rebuild', () => {
  it('equals the result of the worker, while calls are counted and queries are answered', async () => {
    const before = await rollups(other.accountId);
    expect(before.length).toBeGreaterThan(500);
    await api.pool.query('DELETE FROM analytics_blocks WHERE account_id = $1 AND entries % 2 = 0', [other.accountId]);
    await api.pool.query('DELETE FROM analytics_calls WHERE account_id = $1 AND direction = $2', [
      other.accountId,
      'inbound',
    ]);
    const year = { interval: 'none', date_from: '2026-01-01', date_to: '2026-12-31' };
    const rebuilt = Promise.all([
      service(AnalyticsRebuildService).rebuild({ accountId: other.accountId }),
      service(AnalyticsRebuildService).rebuild({ accountId: other.accountId, from: new Date('2026-03-29') }),
      count(),
    ]);
    expect((await ask(year, other.token)).data).toHaveLength(1);
    await rebuilt;
    await count();
    expect(await rollups(other.accountId)).toEqual(before);
  });

  it('ends although the hour after the last call has not begun', async () => {
    const fourth = await aWorkspace(api.pool);
    await insertCall(api.pool, madeCall(random, await choicesOf(fourth), Date.now() - 60_000));
    expect(await service(AnalyticsRebuildService).rebuild({ accountId: fourth.accountId })).toBe(1);
    const { meta, data } = await ask({ interval: 'none', metrics: 'calls', include_tests: 'true' }, fourth.token);
    expect([meta.pending, data.map(({ values }) => values)]).toEqual([0, [{ calls: 1 }]]);
  });

  it('counts every call once when workers are killed at any moment and others go on', async () => {
    const choices = await choicesOf(own);
    const added = Array.from({ length: 60 }, () => madeCall(random, choices, CHANGES[1]! + random.int(0, HOUR)));
    for (const call of added) await insertCall(api.pool, call);
    // A killed worker leaves an open transaction, which PostgreSQL rolls back.
    const victim = await api.pool.connect();
    await victim.query('BEGIN');
    await victim.query('SELECT pg_advisory_xact_lock(7216061)');
    await victim.query('UPDATE analytics_calls SET pending = false, counted = true WHERE pending');
    await victim.query('DELETE FROM analytics_blocks');
    victim.release(true);
    const counting = service(AnalyticsCountingService);
    const workers = async (): Promise<void> => {
      while ((await ask({})).meta.pending > 0) await counting.countPending();
    };
    await Promise.all([workers(), workers(), workers()]);
    calls.push(...added);
    await count();
    const year = { interval: 'none', date_from: '2026-01-01', date_to: '2026-12-31' };
    expect((await ask(year)).data[0]?.values.calls).toBe(ofOwn().length);
    await checkAll(6);
  });
});
