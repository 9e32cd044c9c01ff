import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandOutcome } from '../support/built-command.js';
import { anAgent, aToken, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

interface Simulated {
  passed: boolean;
  steps: { passed: boolean; failures: string[]; said: string[] }[];
  transcript: { role: string; text: string }[];
  knowledge_searches: { query: string; results: { text: string }[] }[];
  tool_calls: { name: string; result: unknown }[];
  mocks: object | null;
  end: { cause: string } | null;
}

const service = Service.get();
let own: Workspace;
let other: Workspace;
let folder: string;

beforeAll(async () => {
  [own, other] = await Promise.all([service.account(), service.account()]);
  folder = await mkdtemp(join(tmpdir(), 'trunkline-simulate-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const post = (body: object, { agentId, token }: { agentId: number; token: string } = own) =>
  service.as(token).post(`/api/v1/agents/${agentId}/simulations`).send(body);

const simulated = async (body: object, agent?: { agentId: number; token: string }): Promise<Simulated> => {
  const answer = await post(body, agent);
  expect([answer.status, answer.body.message]).toEqual([200, undefined]);
  return answer.body.data as Simulated;
};

const demoAgent = () =>
  anAgent(service.pool, own.accountId, {
    greeting: 'Hello, this is the Trunkline demo agent. How can I help you?',
    instructions: 'You are the receptionist of a small company.',
  });

describe('a simulation over HTTP', () => {
  it('plays each example of the document on an agent as the demo has it', async () => {
    const document = JSON.parse(await readFile('openapi.json', 'utf8')) as {
      paths: Record<string, { post: { requestBody: { content: Record<string, { examples: object }> } } }>;
    };
    const { requestBody } = document.paths['/api/v1/agents/{agent_id}/simulations']!.post;
    const examples = Object.values(requestBody.content['application/json']!.examples) as { value: object }[];
    const agentId = await demoAgent();
    expect(examples.length).toBeGreaterThan(1);
    for (const { value } of examples) {
      const { passed, steps } = await simulated(value, { agentId, token: own.token });
      expect([steps.flatMap(({ failures }) => failures), passed]).toEqual([[], true]);
    }
  });

  it('searches the knowledge bases, and tells what was said, found and called', async () => {
    const content = 'Article 4711 costs three euros.';
    const made = await service
      .as(own.token)
      .post(`/api/v1/agents/${own.agentId}/knowledge-bases`)
      .send({ title: 'Prices', source_type: 'text', content });
    expect(made.status).toBe(201);
    const result = await simulated({
      steps: [{ says: 'What does 4711 cost?', expects: 'three euros', calls: 'search_knowledge_base', ends: false }],
    });
    expect(result.passed).toBe(true);
    expect(result.knowledge_searches).toMatchObject([{ query: 'What does 4711 cost?', results: [{ text: content }] }]);
    expect(result.tool_calls).toMatchObject([{ name: 'search_knowledge_base', result: { found: 1 } }]);
    const [, caller, agent] = result.transcript;
    expect([caller?.role, agent?.text]).toEqual(['caller', expect.stringContaining('three euros')]);
    expect(result.transcript).toHaveLength(3);
  });

  it('runs tools for real when it is told to, records what they gave, and plays that again', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answer = (_, response) => response.end(JSON.stringify({ state: 'sent' }));
    await service.as(own.token).post('/api/v1/webhook-secrets/rotate').send({}).expect(201);
    const rules = [
      { on: { text: 'order (\\d+)' }, call: { tool: 'order_status', arguments: { order: '{{match.1}}' } } },
      { on: { tool: 'order_status' }, say: 'It is {{result.shop.state}}.' },
    ];
    const agentId = await anAgent(service.pool, own.accountId, {
      provider_options: JSON.stringify({ script: { rules } }),
    });
    const made = await service
      .as(own.token)
      .post(`/api/v1/agents/${agentId}/tools`)
      .send({
        name: 'order_status',
        description: 'Where an order is.',
        parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
        webhook_actions: [{ name: 'shop', url: receiver.url('/orders/{{args.order}}?for={{metadata.customer}}') }],
      });
    expect(made.status).toBe(201);
    const steps = [
      {
        says: 'Where is order 4711?',
        expects: 'It is sent.',
        calls: { tool: 'order_status', arguments: { order: '4711' }, ok: true },
      },
    ];
    const scenario = { metadata: { customer: 7 }, steps };
    const agent = { agentId, token: own.token };

    const live = await simulated({ ...scenario, tools: 'record' }, agent);
    expect([live.steps, live.passed]).toEqual([[expect.objectContaining({ failures: [] })], true]);
    expect(receiver.received.map(({ path, query }) => [path, query.get('for')])).toEqual([['/orders/4711', '7']]);
    expect(live.tool_calls).toMatchObject([{ ok: true, actions: [{ name: 'shop', status: 200 }] }]);
    const replayed = await simulated({ ...scenario, mocks: live.mocks }, agent);
    expect([replayed.passed, receiver.received.length]).toEqual([true, 1]);
    const unmocked = await simulated(scenario, agent);
    expect(unmocked.steps[0]?.failures.at(-1)).toBe('order_status has no mock.');
    const invocations = await service.as(own.token).get('/api/v1/tool-invocations').expect(200);
    expect(invocations.body.data).toMatchObject([{ source: 'simulation', call_id: null }]);
    await receiver.close();
  });

  it('answers 200 when the agent fails the test, and writes no call', async () => {
    const result = await simulated({ steps: [{ says: 'Hello', expects: 'I am a giraffe' }] });
    expect(result).toMatchObject({ passed: false, steps: [{ passed: false, failures: [expect.any(String)] }] });
    const calls = await service.as(own.token).get('/api/v1/calls').expect(200);
    expect(calls.body.meta.total).toBe(0);
  });

  it('counts what the provider costs towards the daily spend, and is refused when that is used up', async () => {
    const poor = await service.account({ daily_spend_micros: 1 });
    // Its words are counted; a conversation of the sandbox, which is billed by its time, may be too short to cost anything.
    await service.as(poor.token).patch(`/api/v1/agents/${poor.agentId}`).send({ provider: 'pipeline' }).expect(200);
    const steps = [{ says: 'Hello' }, { keys: '5' }, { silence: 20 }];
    const first = await post({ steps }, poor);
    expect(first.status).toBe(200);
    expect(first.body.data.usage).toContainEqual(expect.objectContaining({ source: 'sandbox' }));
    expect(first.body.data.cost).toBeGreaterThan(0);
    const account = await service.as(poor.token).get('/api/v1/account').expect(200);
    expect(account.body.data.spend.today_usd).toBe(first.body.data.cost);
    const second = await post({ steps }, poor);
    expect([second.status, second.body.errors]).toEqual([
      422,
      {
        scenario: [expect.stringMatching(/^The account's daily spend limit of 0\.00 USD is reached\. It resets at /)],
      },
    ]);
    const order = { to_number: 'sip:a@127.0.0.1', agent_id: poor.agentId, number_id: poor.numberId };
    const call = await service.as(poor.token).post('/api/v1/calls').send(order);
    expect([call.status, Object.keys(call.body.errors as object)]).toEqual([422, ['to_number']]);
  });

  it('says where a scenario is wrong', async () => {
    const { status, body } = await post({ steps: [{ says: 'a' }, { expects: { matches: '(' } }], tols: 'live' });
    expect([status, Object.keys(body.errors as object).toSorted()]).toEqual([
      422,
      ['scenario', 'steps.1.expects.matches'],
    ]);
  });

  it('refuses scenarios with an agent outside of Trunkline, as test runs and agents do', async () => {
    const transcriber = { provider: 'deepgram', language: 'en' };
    const outside = { channel: 'sip', transcriber, target: 'sip:agent@voice.example.com', steps: [{ says: 'Hello' }] };
    const me = service.as(own.token);
    const agent = `/api/v1/agents/${own.agentId}`;
    const answers = [
      await post(outside),
      await me.post(`${agent}/test-runs`).send({ scenarios: [outside] }),
      await me.patch(agent).send({ scenarios: [{ name: 'outside.yaml', scenario: outside }] }),
    ];
    expect(answers.map(({ status, body }) => [status, Object.keys(body.errors as object)])).toEqual([
      [422, ['target']],
      [422, ['scenarios']],
      [422, ['scenarios.0.scenario.target']],
    ]);
    for (const { body } of answers)
      expect(JSON.stringify(body)).toContain('supported by the command `trunkline simulate`');
  });

  it('refuses patterns that are too large by their place, and health checks are answered meanwhile', async () => {
    const hostile = { matches: '\\pL{0,999}'.repeat(45) };
    const steps = Array.from({ length: 20 }, () => ({ expects: Array<object>(20).fill(hostile) }));
    const [{ status, body }, live] = await Promise.all([post({ steps }), service.as().get('/health/live')]);
    expect([status, live.status]).toEqual([422, 200]);
    expect(body.errors).toMatchObject({
      'steps.0.expects.0.matches': ['The steps.0.expects.0.matches field repeats too much.'],
    });
    const large = await post({ steps: [{ expects: Array<object>(20).fill({ matches: '\\pL{900}' }) }] });
    expect([large.status, large.body.errors]).toEqual([
      422,
      {
        'steps.0.expects.4.matches': [
          'The steps.0.expects.4.matches field makes the patterns of the scenario too large.',
        ],
      },
    ]);
  });

  it('takes a place before the scenario is read', async () => {
    const receiver = await WebhookReceiver.start();
    const held: ServerResponse[] = [];
    const asked = new Promise<void>((resolve) => {
      receiver.answer = (_, response) => {
        if (held.push(response) === 4) resolve();
      };
    });
    const rules = [{ on: { text: 'order' }, call: { tool: 'slow_shop', arguments: {} } }];
    const agentId = await anAgent(service.pool, own.accountId, {
      provider_options: JSON.stringify({ script: { rules } }),
    });
    const tool = await service
      .as(own.token)
      .post(`/api/v1/agents/${agentId}/tools`)
      .send({
        name: 'slow_shop',
        description: 'Answers when the test lets it.',
        webhook_actions: [{ name: 'shop', url: receiver.url('/') }],
      });
    expect(tool.status).toBe(201);
    const agent = { agentId, token: own.token };
    const running = Array.from({ length: 4 }, () => post({ tools: 'live', steps: [{ says: 'order' }] }, agent));
    const answers = Promise.all(running);
    await asked;
    const wrong = await post({ steps: [{ expects: { matches: '(' } }] }, agent);
    expect(wrong.status).toBe(429);
    for (const response of held) response.end('{}');
    expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await receiver.close();
  });

  it('is for the account and the scope alone, and for agents that can write', async () => {
    const scenario = { steps: [{ says: 'Hello' }] };
    const reader = await aToken(service.pool, own.accountId, ['calls:read']);
    const live = await anAgent(service.pool, own.accountId, { provider: 'openai-live' });
    const tries = [
      await post(scenario, { agentId: own.agentId, token: other.token }),
      await post(scenario, { agentId: 999_999, token: own.token }),
      await post(scenario, { agentId: own.agentId, token: reader }),
      await post(scenario, { agentId: live, token: own.token }),
    ];
    expect(tries.map(({ status, body }) => [status, body.message])).toEqual([
      [404, 'Agent not found.'],
      [404, 'Agent not found.'],
      [403, 'The token lacks the scope calls:write.'],
      [422, 'The provider openai-live has no text mode, so its agents cannot be simulated.'],
    ]);
  });

  it('takes four of an account at once', async () => {
    const scenario = { steps: [{ keys: '5' }, { keys: '9' }] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(scenario)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 200]);
    expect(statuses).toContain(429);
    expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toBe('1');
  });
});

describe('bin/trunkline simulate', () => {
  const simulate = (...words: string[]): Promise<CommandOutcome> => service.outcome(['simulate', ...words]);

  async function file(name: string, text: string): Promise<string> {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  }

  it('plays the scenario of the documentation, tells what failed, and what could not be played', async () => {
    const account = `simulate-${own.accountId}`;
    await service.pool.query('UPDATE accounts SET name = $2 WHERE id = $1', [own.accountId, account]);
    await service.pool.query(`UPDATE agents SET name = 'Receptionist' WHERE id = $1`, [await demoAgent()]);
    const [, documented = ''] =
      /```yaml\n(# scenario\.yaml\n.*?)```/s.exec(await readFile('docs/simulate.md', 'utf8')) ?? [];
    const good = await file('good.yaml', documented);
    const bad = await file('bad.yaml', 'name: bad\nsteps: [{ expects: giraffe }]');
    const wrong = await file('wrong.yaml', 'steps: [{ expect: typing error }]');
    const report = join(folder, 'report.xml');

    const of = ['--account', account, '--agent', 'Receptionist'];
    const [failed, unplayed] = await Promise.all([
      simulate(good, bad, ...of, '--repeat', '5', '--junit', report),
      simulate(wrong, ...of),
    ]);
    expect([failed.code, failed.stderr]).toEqual([1, '']);
    expect(failed.stdout).toMatch(
      /^passed {2}greets, waits and says goodbye \(Receptionist, 5 of 5 passed, 100 % required\)/,
    );
    expect(failed.stdout).toContain(
      'The agent did not say "giraffe". It said: "Hello, this is the Trunkline demo agent.',
    );
    const xml = await readFile(report, 'utf8');
    expect(xml).toContain('<testsuites tests="2" failures="1" errors="0"');
    expect(xml).toContain('Step 1: The agent did not say');
    expect(unplayed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('steps.0 has the unknown field expect'),
    });
  });
});
