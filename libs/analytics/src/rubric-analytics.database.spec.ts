import { CallAnalysesRepository, type RubricAnswer } from '@app/call-analysis';
import { AnalyticsCountingService } from './analytics-counting.service.js';
import { AnalyticsRebuildService } from './analytics-rebuild.service.js';
import { AnalyticsUpkeepService } from './analytics-upkeep.service.js';
import { type RubricView } from './rubric-analytics.service.js';
import { analyticsInsert } from '@app/calls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertCall, localInterval, type MadeCall, madeCall } from '../../../test/support/analytics-calls.js';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { anAgent, aToken, aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { SeededRandom } from '../../../test/support/seeded-random.js';

const random = new SeededRandom('rubrics');
const START = Date.parse('2026-03-27T00:00Z');
const DAY = 86_400_000;
const RUBRIC = [
  { name: 'greeted', question: 'Did the agent greet?', type: 'boolean' },
  { name: 'polite', question: 'How polite was the agent?', type: 'score' },
  { name: 'topic', question: 'What was it about?', type: 'enum', options: ['order', 'refund'] },
] as const;
type Name = (typeof RUBRIC)[number]['name'];
type Answers = Record<Name, boolean | number | string | null>;

interface AnalysedCall {
  call: MadeCall;
  isTest: boolean;
  /** Of the newest completed analysis. */
  answers: Answers | undefined;
}

let api: InProcessApi;
let own: Workspace;
const analysed: AnalysedCall[] = [];

const service = <T>(type: new (...args: never[]) => T): T => api.app.get(type, { strict: false });

async function count(): Promise<void> {
  while ((await service(AnalyticsCountingService).countPending()) > 0);
  await service(AnalyticsUpkeepService).finish();
}

const randomAnswers = (): Answers => ({
  greeted: random.pick([true, true, false, null]),
  polite: random.pick([1, 2, 3, 4, 5, null]),
  topic: random.pick(['order', 'refund', null]),
});

/** Requests an analysis through the API and finishes it as a worker does. Failed ones have no result. */
async function analyse(callId: string, answers: Answers | undefined): Promise<void> {
  const asked = await api.as(own.token).post(`/api/v1/calls/${callId}/analysis`).send({ rubric: RUBRIC });
  expect(asked.status).toBe(202);
  const analyses = service(CallAnalysesRepository);
  const [claimed] = await analyses.claim('worker', 60_000, 1);
  const rubric = RUBRIC.map(({ name, question, type }): RubricAnswer => {
    const value = answers?.[name] ?? null;
    return { name, question, type, value, status: value === null ? 'absent' : 'supported', evidence: [] };
  });
  const done = answers
    ? { status: 'completed' as const, result: { values: null, fields: [], rubric, summary: null }, error: null }
    : { status: 'failed' as const, result: null, error: { code: 'internal_error', message: 'It failed.' } };
  const cost = { lines: [], micros: 0 };
  const finished = await analyses.finish(
    claimed!.id,
    'worker',
    { ...done, source: 'rules', model: null, cost },
    api.pool,
  );
  expect(finished?.call_id).toBe(callId);
}

async function addCall(choices: Parameters<typeof madeCall>[1], isTest: boolean): Promise<void> {
  let call = madeCall(random, choices, START + random.int(0, 5 * DAY));
  while (call.answeredAt === null) call = madeCall(random, choices, call.createdAt);
  await insertCall(api.pool, call, false);
  if (isTest) await api.pool.query(`UPDATE calls SET metadata = '{"test_run":"refund"}' WHERE id = $1`, [call.id]);
  await api.pool.query(analyticsInsert('calls').replace('ON CONFLICT', 'WHERE id = $1 ON CONFLICT'), [call.id]);
  analysed.push({ call, isTest, answers: undefined });
}

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
  const { accountId, agentId, numberId, trunkId } = own;
  const agents = [agentId, await anAgent(api.pool, accountId)];
  for (let made = 0; made < 40; made++)
    await addCall({ accountId, agents, numbers: [numberId], trunks: [trunkId] }, made % 8 === 7);
});
afterAll(() => api.stop());

const TIMES = { date_from: '2026-03-26', date_to: '2026-04-05', time_zone: 'Europe/Berlin' };

async function ask<View = RubricView>(query: Record<string, string>, path = '/analytics/rubrics'): Promise<View> {
  const answer = await api
    .as(own.token)
    .get(`/api/v1${path}`)
    .query({ ...TIMES, ...query });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body as View;
}

/** Compares a report with a count of the calls one by one. */
async function check({ byVersion = false, withTests = false, interval = 'day' } = {}): Promise<number> {
  const truth = new Map<string, (boolean | number | string | null)[]>();
  for (const { call, isTest, answers } of analysed) {
    if (!answers || (isTest && !withTests)) continue;
    for (const { name } of RUBRIC) {
      const start = localInterval(call.createdAt, interval, TIMES.time_zone);
      const key = [start, call.agent, byVersion ? call.version : null, name].join(' | ');
      truth.set(key, [...(truth.get(key) ?? []), answers[name]]);
    }
  }
  const group_by = byVersion ? 'version' : 'agent';
  const { data, meta } = await ask({ interval, group_by, include_tests: String(withTests) });
  const found = data.map((row) => {
    const start = localInterval(Date.parse(row.start), interval, TIMES.time_zone);
    const key = [start, row.agent_id, row.agent_version, row.name].join(' | ');
    const given = truth.get(key) ?? [];
    const values = given.filter((value) => value !== null);
    const answers = [...new Set(values.map(String))].toSorted();
    const calls = (answer: string): number => values.filter((value) => String(value) === answer).length;
    const share = (total: number): number | null => (values.length === 0 ? null : total / values.length);
    expect({ ...row, key }).toMatchObject({
      ...{ key, calls: given.length, answered: values.length },
      answers: answers.map((answer) => ({ answer, calls: calls(answer) })),
      true_share: row.type === 'boolean' ? share(calls('true')) : null,
      mean: row.type === 'score' ? share(values.reduce<number>((sum, value) => sum + Number(value), 0)) : null,
    });
    return key;
  });
  expect([meta.pending, found.toSorted()]).toEqual([0, [...truth.keys()].toSorted()]);
  return found.length;
}

async function checkAll(): Promise<void> {
  expect(await check()).toBeGreaterThan(10);
  for (const interval of ['none', 'hour', 'week', 'day']) {
    await check({ interval, byVersion: true });
    await check({ interval, withTests: true });
  }
}

describe('analytics of rubrics', () => {
  it('equal a count of the newest completed analyses one by one, also after analyses are run again', async () => {
    const analyseAgain = async (which: AnalysedCall[]): Promise<void> => {
      for (const one of which) {
        const answers = random.chance(0.85) ? randomAnswers() : undefined;
        await analyse(one.call.id, answers);
        one.answers = answers ?? one.answers;
      }
    };
    await analyseAgain(analysed.slice(0, 15));
    await count();
    expect(await check()).toBeGreaterThan(5);
    await analyseAgain(analysed);
    await count();
    await checkAll();
    await analyseAgain(analysed.slice(10, 30));
    await count();
    await checkAll();
  });

  it('keep what was counted of deleted transcripts, and equal a rebuild', async () => {
    const kept = analysed.find(({ answers, isTest }) => answers && !isTest)!;
    await api.pool.query('DELETE FROM call_analyses WHERE call_id = $1', [kept.call.id]);
    await api.pool.query('UPDATE analytics_rubrics SET calls = calls + 3');
    await service(AnalyticsRebuildService).rebuild({ accountId: own.accountId });
    expect(await check()).toBeGreaterThan(10);
    await checkAll();
  });

  it('are filtered by agent, version and question, are CSV on request, and are refused for wrong values', async () => {
    const filtered = await ask({ name: 'polite', agent_id: String(own.agentId), agent_version: '1', interval: 'none' });
    const mine = analysed.filter(
      ({ call, isTest, answers }) => answers && !isTest && call.agent === own.agentId && call.version === 1,
    );
    expect(filtered.data.map(({ name, calls }) => [name, calls])).toEqual([['polite', mine.length]]);
    const { text } = await api
      .as(own.token)
      .get('/api/v1/analytics/rubrics')
      .query({ ...TIMES, name: 'greeted', interval: 'none', format: 'csv' });
    const [header, first] = text.split('\r\n');
    expect(header).toBe(
      'start,end,agent_id,agent_name,agent_version,name,type,calls,answered,true_share,mean,answer,answer_calls',
    );
    expect(first).toMatch(/,agent-[^,]*,,greeted,boolean,\d+,\d+,[\d.]+,,false,\d+$/);
    const wrong = await api.as(own.token).get('/api/v1/analytics/rubrics').query({ agent_version: '1' });
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['agent_version']]);
    const token = await aToken(api.pool, own.accountId, ['calls:read']);
    expect((await api.as(token).get('/api/v1/analytics/rubrics')).status).toBe(403);
  });

  it('and all others leave the calls of tester callers out unless the query includes them, and so do lists of calls', async () => {
    const tests = analysed.filter(({ isTest }) => isTest).length;
    type Report = { data: { values: Record<string, number> }[] };
    for (const interval of ['none', 'hour']) {
      const counted = async (include_tests: string): Promise<number> => {
        const { data } = await ask<Report>({ interval, metrics: 'calls', include_tests }, '/analytics');
        return data.reduce((sum, { values }) => sum + (values['calls'] ?? 0), 0);
      };
      expect([await counted('false'), await counted('true')]).toEqual([analysed.length - tests, analysed.length]);
    }
    const listed = async (query: Record<string, string>): Promise<number> =>
      (await ask<{ meta: { total: number } }>({ per_page: '100', ...query }, '/calls')).meta.total;
    expect([await listed({}), await listed({ include_tests: 'false' })]).toEqual([
      analysed.length,
      analysed.length - tests,
    ]);
  });
});
