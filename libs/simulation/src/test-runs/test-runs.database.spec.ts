import { newId } from '@app/common';
import { TestRunWorkerService } from './test-run-worker.service.js';
import { TestSchedulesService } from './test-schedules.service.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { InProcessApi } from '../../../../test/support/in-process-api.js';
import { eventually } from '../../../../test/support/eventually.js';
import { aCall, anAgent, aWorkspace, type Workspace } from '../../../../test/support/factories.js';
import { UnitLanes } from '../../../../test/support/unit-lanes.js';

interface Run {
  id: string;
  status: string;
  problem: string | null;
  played: number;
  passed: number;
}

const FOLDER = 'test/data/testers';
let api: InProcessApi;
let own: Workspace;
let agentId: number;
let runs: UnitLanes | undefined;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
  const agents = parse(await readFile(`${FOLDER}/agents.yaml`, 'utf8')) as {
    greeting: string;
    healthy: object[];
  };
  const suite = parse(await readFile(`${FOLDER}/scenarios.yaml`, 'utf8')) as Record<string, unknown>;
  const script = { rules: agents.healthy };
  const transfer = { transfer_enabled: true, transfer_phone_number: '+15550007777' };
  agentId = await anAgent(api.pool, own.accountId, {
    ...{ greeting: agents.greeting, provider_options: JSON.stringify({ script }), ...transfer },
  });
  const tool = {
    name: 'check_identity',
    description: 'Checks a customer number.',
    parameters: { type: 'object', properties: { customer: { type: 'string' } } },
  };
  const webhook_actions = [{ name: 'crm', url: 'https://example.com/customers' }];
  const added = await send('post', 'tools', { ...tool, webhook_actions });
  if (added.status !== 201) throw new Error(`The tool was not added: ${added.text}`);
  const stored = await api
    .as(own.token)
    .patch(`/api/v1/agents/${agentId}`)
    .send({ scenarios: [{ name: 'tea.yaml', scenario: suite }] });
  if (stored.status !== 200) throw new Error(`The scenarios were not stored: ${stored.text}`);
});
afterAll(async () => {
  await runs?.stop();
  await api?.stop();
});

const send = (method: 'post' | 'get' | 'put' | 'delete', path: string, body?: object) =>
  api.as(own.token)[method](`/api/v1/agents/${agentId}/${path}`).send(body);

async function started(body: object): Promise<Run> {
  const answer = await send('post', 'test-runs', body);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body.data as Run;
}

const found = async (id: string): Promise<Run> => (await send('get', `test-runs/${id}`)).body.data as Run;
const ended = (id: string): Promise<Run> =>
  eventually(
    () => found(id),
    ({ status }) => status !== 'queued' && status !== 'running',
  );

describe('a test run', () => {
  it('of a killed worker is continued after its lease, without the conversations that it has played', async () => {
    const run = await started({ repeat: 2 });
    expect(run).toMatchObject({ status: 'queued', conversations: 4, played: 0 });
    await api.pool.query(
      `UPDATE test_runs SET status = 'running', lease_owner = 'killed', lease_until = now(), played = 1, passes = 1 WHERE id = $1`,
      [run.id],
    );
    await api.pool.query(
      `INSERT INTO test_conversations (run_id, account_id, scenario, repetition, passed, report) VALUES ($1, $2, 0, 0, true, $3)`,
      [run.id, own.accountId, JSON.stringify({ steps: [], checks: [], transcript: [], costMicros: 0, error: null })],
    );
    const worker = api.app.get(TestRunWorkerService);
    runs = new UnitLanes(() => worker.playNext(), 2).start();
    expect(await ended(run.id)).toMatchObject({ status: 'passed', played: 4, passed: 4, problem: null });
    const { body } = await send('get', `test-runs/${run.id}/conversations`);
    expect(body.meta.total).toBe(4);
  });
});

describe('a test schedule', () => {
  it('starts each run once, whatever the number of workers, and reports scenarios that no longer exist', async () => {
    const schedule = { cron: '30 3 * * *', time_zone: 'Europe/Berlin', scenarios: ['tea.yaml'], repeat: 1 };
    const set = await send('put', 'test-schedule', schedule);
    expect([set.status, set.body.errors]).toEqual([200, undefined]);

    const schedules = api.app.get(TestSchedulesService);
    const due = new Date(set.body.data.next_at as string);
    const begun = await Promise.all([1, 2, 3].map(() => schedules.beginDue(due)));
    expect(begun.filter(Boolean)).toHaveLength(1);
    const { last_run_id: id, next_at: next } = (await send('get', 'test-schedule')).body.data as {
      last_run_id: string;
      next_at: string;
    };
    expect(new Date(next).getTime()).toBeGreaterThan(due.getTime());
    expect(await ended(id)).toMatchObject({ trigger: 'schedule', status: 'passed' });

    await api.pool.query('UPDATE agent_test_schedules SET scenarios = $2 WHERE agent_id = $1', [
      agentId,
      ['gone.yaml'],
    ]);
    expect(await schedules.beginDue(new Date(next))).toBe(true);
    const lost = (await send('get', 'test-schedule')).body.data as { last_run_id: string };
    expect(await found(lost.last_run_id)).toMatchObject({
      status: 'error',
      problem: 'The agent has no scenario named gone.yaml.',
    });
  });
});

describe('a stored call', () => {
  it('becomes a scenario that the agent of the call passes', async () => {
    const id = newId();
    await aCall(api.pool, { ...own, agentId }, { id, direction: 'inbound', status: 'completed', ended_at: new Date() });
    const turn = (role: string, text: string, at: number) => ({
      ...{ type: 'turn', at_ms: at, turn: at, role, text, started_ms: at, ended_ms: at, truncated: false },
    });
    const call = {
      tool_call_id: 'a',
      name: 'check_identity',
      arguments: { customer: 'it is 1234' },
      result: { known: true },
    };
    const facts = [
      turn('agent', 'Hello, this is the tea house. How can I help you?', 1),
      turn('callee', 'What is the price of article 4711? My card is [card].', 2),
      turn('agent', 'For prices I need to know who you are. What is your customer number?', 3),
      turn('callee', 'it is 1234', 4),
      { type: 'tool_call', at_ms: 5, ...call, ok: true, started_ms: 5, ended_ms: 5 },
      turn('agent', 'Thank you. Article 4711 costs three euros. Anything else?', 6),
      turn('callee', 'No, thank you.', 7),
      turn('agent', 'Goodbye, and thank you for calling.', 8),
      { type: 'ended', at_ms: 9, ended_by: 'agent', cause: 'agent_hangup' },
    ];
    await store(
      id,
      facts.map(({ type, ...data }) => ({ type, data })),
    );
    const answer = await api.as(own.token).get(`/api/v1/calls/${id}/scenario`);
    expect(answer.status).toBe(200);
    const { scenario } = answer.body.data as { scenario: { steps: object[]; mocks: object } };
    expect(scenario).toMatchObject({
      direction: 'inbound',
      mocks: { check_identity: [{ arguments: { customer: 'it is 1234' }, result: { known: true } }] },
    });
    expect(scenario.steps.slice(1)).toMatchObject([
      { says: 'What is the price of article 4711? My card is [card].' },
      { says: 'it is 1234', expects: [{ contains: '4711' }], calls: [{ tool: 'check_identity', ok: true }] },
      { says: 'No, thank you.', ends: 'hangup' },
    ]);
    const played = await send('post', 'simulations', scenario);
    expect([played.status, played.body.data.steps.flatMap((one: { failures: string[] }) => one.failures)]).toEqual([
      200,
      [],
    ]);
    expect(played.body.data.passed).toBe(true);
  });
});

async function store(id: string, events: { type: string; data: object }[]): Promise<void> {
  for (const [index, { type, data }] of events.entries())
    await api.pool.query('INSERT INTO call_events (call_id, seq, type, data) VALUES ($1, $2, $3, $4)', [
      id,
      index + 1,
      type,
      data,
    ]);
  await api.pool.query(
    `UPDATE calls SET event_seq = $2, status = 'completed', ended_at = now(), owner = NULL WHERE id = $1`,
    [id, events.length],
  );
}
