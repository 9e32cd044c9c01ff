import { Encryption } from '@app/common';
import { TestRunWorkerService } from './test-run-worker.service.js';
import { newWebhookSecret } from '@app/webhooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InProcessApi } from '../../../../test/support/in-process-api.js';
import { eventually } from '../../../../test/support/eventually.js';
import { aWorkspace, type Workspace } from '../../../../test/support/factories.js';
import { LogLines } from '../../../../test/support/log-lines.js';
import { ModelServer } from '../../../../test/support/model-server.js';
import { runCommand } from '../../../../test/support/run-command.js';
import { openDispatcher } from '../../../../test/support/webhook-environment.js';
import { WebhookReceiver } from '../../../../test/support/webhook-receiver.js';

const CARD = '4111 1111 1111 1111';
const PASSWORD = 'sunflower77';
const PIN = '83610274';
const SECRET_KEY = 'the secret key of the tests, 32+ characters';

/** Takes what the caller says as arguments, and repeats the answer of the tool: the agent's own settings contain no secret. */
const SCRIPT = {
  rules: [
    { on: { text: 'card is ([\\d ]+)' }, call: { tool: 'save_details', arguments: { detail: '{{match.1}}' } } },
    { on: { text: 'password is (\\w+)' }, call: { tool: 'save_details', arguments: { detail: '{{match.1}}' } } },
    { on: { text: 'Ask me' }, say: 'What is your PIN?' },
    { on: { digits: true }, call: { tool: 'save_details', arguments: { detail: '{{digits}}' } } },
    { on: { tool: 'save_details' }, say: 'I have {{result.save.arguments.detail}}.' },
  ],
};
const scenarioOf = (name: string) => ({
  name,
  tools: 'live',
  steps: [
    { says: `My card is ${CARD}.`, expects: 'a giraffe', calls: { tool: 'save_details', arguments: { detail: 'x' } } },
    { says: `My password is ${PASSWORD}.`, expects: PASSWORD, calls: 'save_details' },
    { says: 'Ask me.' },
    { keys: PIN, expects: PIN, calls: 'save_details' },
  ],
  judge: {
    must_not_say: { matches: '4111' },
    rubric: [{ name: 'careful', question: 'Was the agent careful?', type: 'boolean' }],
  },
});

let api: InProcessApi;
let own: Workspace;
let agentId: number;
let receiver: WebhookReceiver;
let models: ModelServer;
let folder: string;

beforeAll(async () => {
  [receiver, models] = await Promise.all([WebhookReceiver.start(), ModelServer.start()]);
  folder = await mkdtemp(join(tmpdir(), 'trunkline-redacted-'));
  receiver.answer = ({ path, body }, response) => response.writeHead(path === '/refused' ? 400 : 200).end(body);
  models.answer = {
    careful: { value: false, reason: `It repeated ${CARD}.`, evidence: [{ turn: 3, quote: `I have ${CARD}.` }] },
  };
  api = await InProcessApi.start(modelSettings());
  own = await aWorkspace(api.pool);
  const sealed = api.app.get(Encryption).encrypt(newWebhookSecret(), 'webhook-secret');
  const text = 'INSERT INTO webhook_secrets (account_id, secret_sealed) VALUES ($1, $2)';
  await api.pool.query(text, [own.accountId, sealed]);
  const agent = await created('/api/v1/agents', {
    name: 'Cashier',
    script: SCRIPT,
    redaction: { kinds: ['card', 'password'] },
    scenarios: [{ name: 'pays.yaml', scenario: scenarioOf('pays') }],
  });
  agentId = agent.id as number;
  await created(`/api/v1/agents/${agentId}/tools`, {
    name: 'save_details',
    description: 'Saves a detail.',
    parameters: { type: 'object', properties: { detail: { type: 'string' } } },
    webhook_actions: [
      { name: 'save', url: `${receiver.url('/save')}/{{args.detail}}` },
      { name: 'refused', url: receiver.url('/refused') },
      { name: 'later', url: `${receiver.url('/later')}?detail={{args.detail}}`, wait_response: false },
    ],
  });
});
afterAll(async () => {
  await api?.stop();
  await receiver?.close();
  await models?.stop();
  await rm(folder, { recursive: true, force: true });
});

const modelSettings = () => ({
  COMPATIBLE_URL: models.url,
  COMPATIBLE_API_KEY: 'k',
  ANALYSIS_MODEL: 'openai-compatible:emulated',
});

async function created(path: string, body: object): Promise<Record<string, unknown>> {
  const { status, body: answer } = await api.as(own.token).post(path).send(body);
  expect([status, answer.errors]).toEqual([201, undefined]);
  return answer.data as Record<string, unknown>;
}

const testRun = async (id: string): Promise<Record<string, unknown>> =>
  (await api.as(own.token).get(`/api/v1/agents/${agentId}/test-runs/${id}`)).body.data as Record<string, unknown>;

/** The columns of all tables that contain a part of the secrets, whatever their type and the spaces in the number. */
async function columnsWithSecrets(): Promise<string[]> {
  const { rows: columns } = await api.pool.query<{ place: string; query: string }>(
    `SELECT c.table_name || '.' || c.column_name AS place, format(
        'SELECT count(*)::integer AS n FROM %I.%I WHERE %s ~ $1', c.table_schema, c.table_name,
        CASE c.data_type WHEN 'bytea' THEN format('encode(%I, ''escape'')', c.column_name) ELSE format('%I::text', c.column_name) END
      ) AS query
      FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  expect(columns.length).toBeGreaterThan(300);
  const found: string[] = [];
  for (const { place, query } of columns) {
    const { rows } = await api.pool.query<{ n: number }>(query, [
      `4111(\\s|%20|\\+)*1111|1111(\\s|%20|\\+)*1111|${PASSWORD}|${PIN}`,
    ]);
    if (rows[0]!.n > 0) found.push(place);
  }
  return found;
}

describe('test conversations with an agent that has redaction', () => {
  it('leave the secrets that were said nowhere in the database but in the scenario, and send them to the tools', async () => {
    const runs = `/api/v1/agents/${agentId}/test-runs`;
    const webhook_url = receiver.url('/ended');
    const body = { scenarios: ['pays.yaml', scenarioOf('once')], webhook_url };
    const started = await api.as(own.token).post(runs).set('Idempotency-Key', 'a-run').send(body);
    expect(started.status).toBe(201);
    const { id } = started.body.data as { id: string };
    await api.app.get(TestRunWorkerService).playNext();
    const run = await eventually(
      () => testRun(id),
      ({ status }) => status !== 'queued' && status !== 'running',
    );
    expect(run).toMatchObject({ status: 'failed', played: 2, problem: null });
    const simulated = await api
      .as(own.token)
      .post(`/api/v1/agents/${agentId}/simulations`)
      .send(scenarioOf('simulated'));
    expect([simulated.status, simulated.body.data?.steps]).toMatchObject([
      200,
      [{ said: [`I have ${CARD}.`] }, {}, {}, { said: [`I have ${PIN}.`] }],
    ]);
    const file = join(folder, 'command.yaml');
    await writeFile(file, JSON.stringify(scenarioOf('command')));
    const { rows } = await api.pool.query<{ name: string }>('SELECT name FROM accounts WHERE id = $1', [own.accountId]);
    const words = ['simulate', file, '--account', rows[0]!.name, '--agent', 'Cashier'];
    const command = await runCommand(words, {
      ...{ DATABASE_URL: api.databaseUrl, SECRET_KEY, EGRESS_ALLOW_CIDRS: '127.0.0.0/8' },
      ...modelSettings(),
    });
    expect(command).toMatchObject({ code: 1, stdout: expect.stringContaining(CARD) });

    const conversations = await api.as(own.token).get(`${runs}/${id}/conversations`);
    expect(conversations.body.data).toHaveLength(2);
    for (const one of conversations.body.data as object[])
      expect(one).toMatchObject({
        error: null,
        steps: [
          { said: ['I have [card].'] },
          { said: ['I have [password].'], passed: true },
          {},
          { said: ['I have [password].'], passed: true },
        ],
        rubric: [{ value: false, reason: 'It repeated [card].', evidence: [{ quote: 'I have [card].' }] }],
      });
    const listed = await api.as(own.token).get('/api/v1/tool-invocations?per_page=100');
    const invocations = await Promise.all(
      (listed.body.data as { invocation_id: string }[]).map((one) =>
        api.as(own.token).get(`/api/v1/tool-invocations/${one.invocation_id}`),
      ),
    );
    const stored = invocations.map(({ body }) => (body.data as { arguments: { detail: string } }).arguments.detail);
    expect(stored.toSorted()).toEqual([...Array<string>(4).fill('[card]'), ...Array<string>(8).fill('[password]')]);
    expect(await columnsWithSecrets()).toEqual(['agent_scenarios.scenario']);

    const sender = await openDispatcher(api.databaseUrl, {}, new LogLines().log);
    try {
      await receiver.until(
        (all) => all.filter(({ path }) => path === '/later').length === 12 && all.some(({ path }) => path === '/ended'),
      );
      const sent = receiver.received.filter(({ path }) => path.startsWith('/later'));
      for (const detail of [CARD, PASSWORD, PIN])
        expect(sent.filter(({ query }) => query.get('detail')?.startsWith(detail))).toHaveLength(4);
      const ended = receiver.received.find(({ path }) => path === '/ended');
      expect(ended?.body).not.toMatch(/1111|sunflower|8361/);
      await eventually(
        () => api.pool.query(`SELECT 1 FROM webhook_deliveries WHERE state <> 'delivered'`),
        ({ rowCount }) => rowCount === 0,
      );
    } finally {
      await sender.close();
    }
    expect(await columnsWithSecrets()).toEqual(['agent_scenarios.scenario']);
  });
});
