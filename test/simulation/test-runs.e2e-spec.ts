import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { eventually } from '../support/eventually.js';
import type { Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';
import { WebhookSink } from '../support/webhook-sink.js';

interface Run {
  id: string;
  status: string;
  problem: string | null;
  trigger: string;
  played: number;
  passed: number;
  scenarios: { name: string; passed: boolean | null }[];
}

const FOLDER = 'test/data/testers';

const service = Service.get();
let sink: WebhookSink;
let own: Workspace;
let other: Workspace;
let secret: string;
let faulty: object;

beforeAll(async () => {
  sink = await WebhookSink.start();
  [own, other] = await Promise.all([service.account(), service.account()]);
  const agents = parse(await readFile(`${FOLDER}/agents.yaml`, 'utf8')) as {
    greeting: string;
    healthy: object[];
    faults: Record<string, object[]>;
  };
  const scenario = parse(await readFile(`${FOLDER}/scenarios.yaml`, 'utf8')) as object;
  faulty = { rules: [...agents.faults.wrong_price!, ...agents.healthy] };
  const me = service.as(own.token);
  secret = (await me.post('/api/v1/webhook-secrets/rotate').send({}).expect(201)).body.data.secret as string;
  const tool = {
    name: 'check_identity',
    description: 'Checks a customer number.',
    parameters: { type: 'object', properties: { customer: { type: 'string' } } },
    webhook_actions: [{ name: 'crm', url: 'https://example.com/customers' }],
  };
  await send('post', 'tools', tool).expect(201);
  await me
    .patch(`/api/v1/agents/${own.agentId}`)
    .send({
      greeting: agents.greeting,
      script: { rules: agents.healthy },
      call_transfer: { enabled: true, phone_number: '+15550007777' },
      scenarios: [{ name: 'tea.yaml', scenario }],
    })
    .expect(200);
});
afterAll(async () => {
  await sink?.close();
  await service.close();
});

const send = (method: 'post' | 'get' | 'put' | 'delete', path: string, body?: object, token = own.token) =>
  service.as(token)[method](`/api/v1/agents/${own.agentId}/${path}`).send(body);

const started = async (body: object): Promise<Run> =>
  (await send('post', 'test-runs', body).expect(201)).body.data as Run;
const found = async (id: string): Promise<Run> => (await send('get', `test-runs/${id}`).expect(200)).body.data as Run;
const ended = (id: string): Promise<Run> =>
  eventually(
    () => found(id),
    ({ status }) => status !== 'queued' && status !== 'running',
  );

describe('a test run', () => {
  it('passes a healthy agent, and a draft with a wrong price fails with its transcripts and a signed webhook', async () => {
    const draft = await send('post', 'versions', { script: faulty }).expect(201);
    const { version } = draft.body.data as { version: number };
    const healthy = await started({ repeat: 2 });
    expect(healthy.scenarios.map(({ name }) => name)).toEqual([
      'a customer asks for a price',
      'an unhappy customer wants a person',
    ]);
    const broken = await started({
      ...{ repeat: 2, agent_version: version },
      ...{ webhook_url: `${sink.url}/tests`, notify: 'failure' },
    });
    expect(await ended(healthy.id)).toMatchObject({ status: 'passed', played: 4, passed: 4, problem: null });
    expect(await ended(broken.id)).toMatchObject({
      ...{ status: 'failed', agent_version: version, played: 4, passed: 2 },
      scenarios: [{ passed: false }, { passed: true }],
    });
    const { body } = await send('get', `test-runs/${broken.id}/conversations?result=failed`).expect(200);
    expect(body.meta.total).toBe(2);
    expect(body.data[0]).toMatchObject({ scenario: 0, repetition: 1, passed: false, error: null });
    const [first] = body.data as { checks: { name: string; failures: string[] }[]; transcript: object[] }[];
    expect(first?.checks.find(({ name }) => name === 'must_say')?.failures).toEqual([
      'The agent did not say "three euros".',
    ]);
    expect(first?.transcript.length).toBeGreaterThan(4);
    await sink.until((received) => received.length > 0);
    const [webhook, ...more] = sink.received;
    sink.verify(webhook!, secret);
    expect([webhook?.body.type, webhook?.body.event, webhook?.body.data.id, more]).toEqual([
      'test-run',
      'failed',
      broken.id,
      [],
    ]);
    const list = await send('get', 'test-runs?per_page=1').expect(200);
    expect([list.body.data[0].id, list.body.meta.total]).toEqual([broken.id, 2]);
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

  it('is cancelled, and invisible for other accounts', async () => {
    const run = await started({ repeat: 100 });
    for (const path of [`test-runs/${run.id}`, `test-runs/${run.id}/conversations`, 'test-runs', 'test-schedule'])
      await send('get', path, undefined, other.token).expect(404);
    await send('post', `test-runs/${run.id}/cancel`, undefined, other.token).expect(404);
    const cancelled = await send('post', `test-runs/${run.id}/cancel`).expect(200);
    expect(cancelled.body.data.status).toBe('cancelled');
    await send('post', `test-runs/${run.id}/cancel`).expect(409);
  });

  it('ends with the reason when the daily spend of the account is used up', async () => {
    const account = service.as(own.token);
    await account
      .patch('/api/v1/account')
      .send({ limits: { daily_spend_usd: 0 } })
      .expect(200);
    const run = await ended((await started({ repeat: 1 })).id);
    expect(run).toMatchObject({ status: 'error', problem: expect.stringContaining('daily spend limit') });
    await account
      .patch('/api/v1/account')
      .send({ limits: { daily_spend_usd: null } })
      .expect(200);
  });
});

describe('a test schedule', () => {
  it('starts a run at its time, and then waits for the next one', async () => {
    const wrong = await send('put', 'test-schedule', { cron: '* * * * *', time_zone: 'Mars/Olympus' });
    expect([wrong.status, Object.keys(wrong.body.errors as object).toSorted()]).toEqual([422, ['cron', 'time_zone']]);
    const schedule = { cron: '30 3 * * *', time_zone: 'Europe/Berlin', scenarios: ['tea.yaml'], repeat: 1 };
    const set = await send('put', 'test-schedule', schedule).expect(200);
    expect(set.body.data).toMatchObject({ ...schedule, notify: 'failure', last_run_id: null });
    const time = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' });
    expect(time.format(new Date(set.body.data.next_at as string))).toBe('03:30');

    await service.pool.query('UPDATE agent_test_schedules SET next_at = now() WHERE agent_id = $1', [own.agentId]);
    const begun = await eventually(
      async () => (await send('get', 'test-schedule')).body.data as { last_run_id: string | null; next_at: string },
      ({ last_run_id: id }) => id !== null,
    );
    expect(time.format(new Date(begun.next_at))).toBe('03:30');
    expect(Date.parse(begun.next_at)).toBeGreaterThan(Date.now());
    expect(await ended(begun.last_run_id ?? '')).toMatchObject({ trigger: 'schedule', status: 'passed', played: 2 });
    await send('delete', 'test-schedule').expect(200);
    await send('get', 'test-schedule').expect(404);
  });
});
