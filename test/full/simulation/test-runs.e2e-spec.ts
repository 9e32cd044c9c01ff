import { newId } from '@app/common';
import { TestRunWorker, TestSchedulesService } from '@app/test-runs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { InProcessApi } from '../../support/in-process-api.js';
import { eventually } from '../../support/eventually.js';
import { aCall, anAgent, aWorkspace, type Workspace } from '../../support/factories.js';

interface Run {
  id: string;
  status: string;
  problem: string | null;
  played: number;
  passed: number;
  scenarios: { name: string; passed: boolean | null; passes: number; repeat: number }[];
}

const FOLDER = 'test/data/testers';
let api: InProcessApi;
let own: Workspace;
let other: Workspace;
let agentId: number;
let faulty: object;

beforeAll(async () => {
  api = await InProcessApi.start();
  [own, other] = [await aWorkspace(api.pool), await aWorkspace(api.pool)];
  const agents = parse(await readFile(`${FOLDER}/agents.yaml`, 'utf8')) as {
    greeting: string;
    healthy: object[];
    faults: Record<string, object[]>;
  };
  const suite = parse(await readFile(`${FOLDER}/scenarios.yaml`, 'utf8')) as Record<string, unknown>;
  const script = { rules: agents.healthy };
  faulty = { rules: [...agents.faults.wrong_price!, ...agents.healthy] };
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
afterAll(() => api?.stop());

const send = (method: 'post' | 'get' | 'put' | 'delete', path: string, body?: object, token = own.token) =>
  api.as(token)[method](`/api/v1/agents/${agentId}/${path}`).send(body);

async function started(body: object = {}): Promise<Run> {
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
  it('that no worker has taken is cancelled, keeps a copy of its scenarios and is invisible for other accounts', async () => {
    const run = await started({ repeat: 2 });
    expect(run).toMatchObject({ status: 'queued', conversations: 4, played: 0 });
    expect(run.scenarios).toMatchObject([
      { name: 'a customer asks for a price', repeat: 2, passed: null },
      { name: 'an unhappy customer wants a person', repeat: 2, passed: null },
    ]);
    for (const path of [`test-runs/${run.id}`, `test-runs/${run.id}/conversations`, 'test-runs', 'test-schedule'])
      expect((await send('get', path, undefined, other.token)).status).toBe(404);
    const cancelled = await send('post', `test-runs/${run.id}/cancel`);
    expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'cancelled']);
    expect((await send('post', `test-runs/${run.id}/cancel`)).status).toBe(409);
  });

  it.each<[string, object, string]>([
    ['an unknown scenario', { scenarios: ['none.yaml'] }, 'scenarios.0'],
    ['an invalid scenario', { scenarios: [{ steps: [{ say: 'typing error' }] }] }, 'scenarios'],
    ['an unknown version', { agent_version: 99 }, 'agent_version'],
    ['too many repetitions', { repeat: 101 }, 'repeat'],
    ['a pass rate of nothing', { pass_rate: 0 }, 'pass_rate'],
    ['an address inside of the network', { webhook_url: 'http://169.254.169.254/' }, 'webhook_url'],
  ])('with %s is refused', async (_, body, field) => {
    const { status, body: answer } = await send('post', 'test-runs', body);
    expect([status, Object.keys(answer.errors as object)]).toEqual([422, [field]]);
  });

  it('passes a healthy agent, and a draft with a wrong price fails with its transcript and its webhook', async () => {
    const draft = await send('post', 'versions', { script: faulty });
    expect(draft.status).toBe(201);
    const version = (draft.body.data as { version: number }).version;
    const [healthy, broken] = [
      await started({ repeat: 3 }),
      await started({ repeat: 2, agent_version: version, webhook_url: 'http://127.0.0.1:9/tests', notify: 'failure' }),
    ];
    // A worker was killed after one conversation of the first run: its lease has expired.
    await api.pool.query(
      `UPDATE test_runs SET status = 'running', lease_owner = 'killed', lease_until = now(), played = 1, passes = 1 WHERE id = $1`,
      [healthy.id],
    );
    await api.pool.query(
      `INSERT INTO test_conversations (run_id, account_id, scenario, repetition, passed, report) VALUES ($1, $2, 0, 0, true, $3)`,
      [
        healthy.id,
        own.accountId,
        JSON.stringify({ steps: [], checks: [], transcript: [], costMicros: 0, error: null }),
      ],
    );
    api.app.get(TestRunWorker).start();
    expect(await ended(healthy.id)).toMatchObject({ status: 'passed', played: 6, passed: 6, problem: null });
    const failed = await ended(broken.id);
    expect(failed).toMatchObject({ status: 'failed', agent_version: version, played: 4, passed: 2 });
    expect(failed.scenarios.map(({ passed }) => passed)).toEqual([false, true]);

    const { body } = await send('get', `test-runs/${broken.id}/conversations?result=failed`);
    expect(body.meta.total).toBe(2);
    const [first] = body.data as {
      repetition: number;
      checks: { name: string; failures: string[] }[];
      transcript: object[];
    }[];
    expect(first).toMatchObject({ scenario: 0, repetition: 1, passed: false, error: null });
    expect(first?.checks.find(({ name }) => name === 'must_say')?.failures).toEqual([
      'The agent did not say "three euros".',
    ]);
    expect(first?.transcript.length).toBeGreaterThan(4);

    const { rows } = await api.pool.query<{ event: string; body: string }>(
      `SELECT event, body FROM webhook_deliveries WHERE type = 'test-run'`,
    );
    expect(rows.map(({ event, body: sent }) => [event, (JSON.parse(sent) as { data: Run }).data.id])).toEqual([
      ['failed', broken.id],
    ]);
    expect((await send('get', 'test-runs')).body.data).toHaveLength(3);
  });

  it('ends with the reason when the daily spend of the account is used up', async () => {
    await api.pool.query('UPDATE accounts SET daily_spend_micros = 0 WHERE id = $1', [own.accountId]);
    const run = await ended((await started({ repeat: 1 })).id);
    expect(run).toMatchObject({ status: 'error', problem: expect.stringContaining('daily spend limit') });
    await api.pool.query('UPDATE accounts SET daily_spend_micros = NULL WHERE id = $1', [own.accountId]);
  });
});

describe('a test schedule', () => {
  it('starts each run once, whatever the number of workers, and reports scenarios that no longer exist', async () => {
    const wrong = await send('put', 'test-schedule', { cron: '* * * * *', time_zone: 'Mars/Olympus' });
    expect([wrong.status, Object.keys(wrong.body.errors as object).toSorted()]).toEqual([422, ['cron', 'time_zone']]);
    const schedule = { cron: '30 3 * * *', time_zone: 'Europe/Berlin', scenarios: ['tea.yaml'], repeat: 1 };
    const set = await send('put', 'test-schedule', schedule);
    expect([set.status, set.body.data]).toMatchObject([200, { ...schedule, notify: 'failure', last_run_id: null }]);
    const time = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' });
    expect(time.format(new Date(set.body.data.next_at as string))).toBe('03:30');

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
    expect((await send('delete', 'test-schedule')).status).toBe(200);
    expect((await send('get', 'test-schedule')).status).toBe(404);
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
    expect((await api.as(other.token).get(`/api/v1/calls/${id}/scenario`)).status).toBe(404);
  });

  it('without a conversation is no scenario: it would test nothing, and pass', async () => {
    const id = await aCall(api.pool, { ...own, agentId }, { status: 'busy', ended_at: new Date() });
    const { status, body } = await api.as(own.token).get(`/api/v1/calls/${id}/scenario`);
    expect([status, body]).toEqual([404, { message: 'Conversation not found.' }]);
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
