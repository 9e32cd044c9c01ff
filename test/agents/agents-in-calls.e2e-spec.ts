import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { AgentsEnvironment, AGENTS } from '../support/agents-environment.js';
import type { Workspace } from '../support/factories.js';
import { LiveCall } from '../support/live-call.js';
import type { Service } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let environment: AgentsEnvironment;
let service: Service;
let own: Workspace;
let created: AgentsEnvironment['created'];
let send: AgentsEnvironment['send'];
let secret: string;

beforeAll(async () => {
  environment = await AgentsEnvironment.open();
  ({ api: service, own, created, send } = environment);
  secret = (await send('post', '/api/v1/webhook-secrets/rotate', {})).body.data.secret as string;
});
afterAll(() => environment?.close());

/** A call that only listens. */
const place = (agentId: number, order: object = {}): Promise<LiveCall> =>
  LiveCall.place(service, { ...own, agentId }, 'silent', { ...order });

describe('an agent with variables', () => {
  const AGENT = {
    instructions: 'Ask {{customer_name}} about the order {{metadata.order}}.',
    greeting: 'Hello {{customer_name | there}} from {{company}}.',
    variables: [
      { name: 'customer_name', required: true, max_length: 40 },
      { name: 'company', default: 'ACME' },
    ],
    conversation: { phrases: { idle: 'Are you there, {{customer_name}}?' } },
  };
  let id: number;
  let toolId: number;
  beforeAll(async () => {
    id = await created(AGENT);
    const description = 'Finds orders of {{customer_name}}.';
    const made = await send('post', `${AGENTS}/${id}/tools`, { name: 'find_order', description });
    toolId = made.body.data.id as number;
    await send('post', `${AGENTS}/${id}/tools`, { name: 'idle', description, is_active: false });
  });

  it('greets each destination of one request by its own values, and overrides are for one call', async () => {
    const to_number = `sip:silent@127.0.0.1:${service.sandboxPort}`;
    const body = {
      ...{ agent_id: id, number_id: own.numberId, metadata: { customer_name: 'Eve' }, reject_duplicates: false },
      to_number: [
        { to_number, variables: { customer_name: 'Ada' } },
        { to_number, metadata: { customer_name: 'Joan' } },
        to_number,
      ],
    };
    const answer = await send('post', '/api/v1/calls', body);
    expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
    const listed = answer.body.data as { call_id: string }[];
    const calls = await Promise.all([
      ...listed.map(({ call_id: call }) => LiveCall.follow(service, own.token, call)),
      place(id, {
        variables: { customer_name: 'Bob' },
        agent_overrides: { greeting: 'Good day {{customer_name}}.', max_call_seconds: 30 },
      }),
    ]);
    const said = await Promise.all(calls.map((call) => call.said(/\./)));
    expect(said).toEqual(['Hello Ada from ACME.', 'Hello Joan from ACME.', 'Hello Eve from ACME.', 'Good day Bob.']);
    const missing = await calls[0].until(({ type }) => type === 'variables_missing');
    expect(missing.data).toEqual({ names: ['metadata.order'] });
    const ended = await Promise.all(calls.map((call) => call.cancel()));
    expect(ended[0]).toMatchObject({ status: 'completed', variables: { customer_name: 'Ada' }, agent_version: 1 });
    expect(ended.slice(0, 3).map(({ metadata, variables }) => [metadata, variables])).toEqual([
      [{ customer_name: 'Eve' }, { customer_name: 'Ada' }],
      [{ customer_name: 'Joan' }, null],
      [{ customer_name: 'Eve' }, null],
    ]);
  });

  it('has other instructions for one call, which refer to the values instead of containing them', async () => {
    const call = await LiveCall.place(service, { ...own, agentId: id }, 'press_0', {
      variables: { customer_name: 'Ada' },
      agent_overrides: { instructions: 'Thank {{customer_name}} for the order.', tool_ids: [] },
    });
    expect(await call.said(/My task/)).toContain('Thank [[customer_name]] for the order');
    await call.cancel();
  });

  it('may use the tools that an override selects; unknown fields are ignored and named', async () => {
    const to_number = [{ to_number: `sip:silent@127.0.0.1:${service.sandboxPort}`, nickname: 'A' }];
    const not_before = new Date(Date.now() + 3_600_000).toISOString();
    const agent_overrides = { tool_ids: [toolId], greting: 'Hi' };
    const order = { metadata: { customer_name: 'Ada' }, not_before, agent_overrides };
    const answer = await send('post', '/api/v1/calls', { agent_id: id, number_id: own.numberId, to_number, ...order });
    expect([answer.status, answer.headers['trunkline-ignored-fields']]).toEqual([
      201,
      'to_number.0.nickname, agent_overrides.greting',
    ]);
  });

  it.each<[string, object, string | string[]]>([
    ['a missing required variable', {}, 'metadata.customer_name'],
    ['a blank one', { metadata: { customer_name: ' ' } }, 'metadata.customer_name'],
    ['variables that are a list', { metadata: { customer_name: 'Ada' }, variables: [] }, 'variables'],
    [
      'destinations without their own value',
      {
        to_number: [
          { to_number: 'sip:a@127.0.0.1', variables: { customer_name: 'Ada' } },
          { to_number: 'sip:b@127.0.0.1' },
        ],
      },
      'to_number.1.variables.customer_name',
    ],
    [
      'invalid fields of destinations',
      {
        metadata: { customer_name: 'Ada' },
        to_number: [{ to_number: 'nonsense' }, { to_number: 'sip:b@127.0.0.1', metadata: 7, variables: { x: [] } }, {}],
      },
      ['to_number.0.to_number', 'to_number.1.metadata', 'to_number.1.variables.x', 'to_number.2.to_number'],
    ],
    ['a value that is too long', { variables: { customer_name: 'x'.repeat(41) } }, 'variables.customer_name'],
    ['an object as the value', { variables: { customer_name: {} } }, 'variables.customer_name'],
    ['an undeclared placeholder', { agent_overrides: { greeting: 'Hi {{nobody}}' } }, 'agent_overrides.greeting'],
    ['a setting out of range', { agent_overrides: { max_call_seconds: 0 } }, 'agent_overrides.max_call_seconds'],
    ['a tool that it does not have', { agent_overrides: { tool_ids: [2_000_000] } }, 'agent_overrides.tool_ids.0'],
    ['a malformed placeholder', { agent_overrides: { greeting: 'Hi {{' } }, 'agent_overrides.greeting'],
    ['a long greeting', { agent_overrides: { greeting: 'x'.repeat(2_001) } }, 'agent_overrides.greeting'],
    ['a number as instructions', { agent_overrides: { instructions: 7 } }, 'agent_overrides.instructions'],
    [
      'an undeclared placeholder in added instructions',
      { agent_overrides: { instructions: { append: '{{nobody}}' } } },
      'agent_overrides.instructions.append',
    ],
    [
      'a number as added instructions',
      { agent_overrides: { instructions: { append: 7 } } },
      'agent_overrides.instructions.append',
    ],
    ['a voice of two words', { agent_overrides: { voice: 'two words' } }, 'agent_overrides.voice'],
    ['no language', { agent_overrides: { language: 'no language' } }, 'agent_overrides.language'],
    [
      'a knowledge base that it does not have',
      { agent_overrides: { knowledge_base_ids: [2_000_000] } },
      'agent_overrides.knowledge_base_ids.0',
    ],
    [
      'a machine that gets no message',
      { agent_overrides: { answering_machine: { on_machine: 'leave_message' } } },
      'agent_overrides.answering_machine.message',
    ],
    ['overrides that are a list', { agent_overrides: [] }, 'agent_overrides'],
  ])('rings no phone for %s: 422 with the path', async (_, order, path) => {
    const to_number = `sip:silent@127.0.0.1:${service.sandboxPort}`;
    const metadata = 'agent_overrides' in order ? { customer_name: 'Ada' } : {};
    const body = { agent_id: id, number_id: own.numberId, to_number, metadata, ...order };
    const answer = await send('post', '/api/v1/calls', body);
    expect([answer.status, Object.keys((answer.body.errors ?? {}) as object).toSorted()]).toEqual([
      422,
      [path].flat().toSorted(),
    ]);
  });

  it('is previewed with values and unsaved texts, and simulated with values', async () => {
    const preview = async (body: object) => (await send('post', `${AGENTS}/${id}/preview`, body)).body.data;
    expect(await preview({ variables: { customer_name: 'Ada', extra: 1 } })).toEqual({
      instructions: expect.stringMatching(
        /^Ask \[\[customer_name\]\] about the order \[\[metadata\.order\]\]\.\n\nValues of this call\..*"customer_name": "Ada"/s,
      ),
      greeting: 'Hello Ada from ACME.',
      voicemail: '',
      phrases: { idle: 'Are you there, Ada?' },
      tool_descriptions: { find_order: 'Finds orders of "Ada".' },
      missing: ['metadata.order'],
      unused: ['extra'],
      problems: [],
    });
    expect(await preview({ greeting: '{{a}} {{call.to_number}}', to_number: '+15550002222' })).toMatchObject({
      greeting: '{{a}} +15550002222',
      problems: [{ field: 'greeting', message: expect.stringContaining('{{a}} at line 1, column 1') }],
    });
    const message = { answering_machine: { message: '{{b' } };
    expect(await preview(message)).toMatchObject({ problems: [{ field: 'answering_machine.message' }] });
    const unsaved = { declared_variables: [{ name: 'a', default: 'x' }], greeting: '{{a}}' };
    expect(await preview(unsaved)).toMatchObject({ greeting: 'x' });
    const wrong = { declared_variables: [{ name: 'call' }], timezone: 'Mars/Base' };
    const refused = await send('post', `${AGENTS}/${id}/preview`, wrong);
    expect(Object.keys(refused.body.errors as object).toSorted()).toEqual(['declared_variables.0.name', 'timezone']);
    const steps = [{ expects: 'Hello Ada from ACME.' }];
    const played = await send('post', `${AGENTS}/${id}/simulations`, { variables: { customer_name: 'Ada' }, steps });
    expect(played.body.data).toMatchObject({ passed: true });
    const without = await send('post', `${AGENTS}/${id}/simulations`, { steps });
    expect([without.status, Object.keys(without.body.errors as object)]).toEqual([422, ['metadata.customer_name']]);
  });

  it('cannot be saved with a placeholder that is malformed or not declared', async () => {
    for (const [fields, field] of [
      [{ greeting: 'Hi {{nobody}}' }, 'greeting'],
      [{ instructions: 'a\n {{x' }, 'instructions'],
      [{ timezone: 'Mars' }, 'timezone'],
      [{ variables: [{ name: 'a b' }] }, 'variables.0.name'],
    ] as const) {
      const answer = await send('patch', `${AGENTS}/${id}`, fields);
      expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, [field]]);
    }
  });
});

describe('a published version', () => {
  let hooks: WebhookReceiver;
  beforeAll(async () => {
    hooks = await WebhookReceiver.start();
  });
  afterAll(() => hooks?.close());

  const settings = (name: string) => ({ greeting: `${name}.`, call_status_webhook: { url: hooks.url(`/${name}`) } });
  /** The webhooks of a call: version and path. */
  const told = ({ id }: LiveCall) =>
    hooks.received
      .map(({ path, body }) => {
        const { data } = JSON.parse(body) as { data: { call_id: string; agent_version: number; status: string } };
        return { path, ...data };
      })
      .filter(({ call_id: call }) => call === id);

  it('is for new calls: live and queued calls keep its settings, a canary takes a share, and a restored version takes over', async () => {
    const id = await created(settings('First'));
    const versions = `${AGENTS}/${id}/versions`;
    const live = await place(id);
    const queued = await place(id, { not_before: new Date(Date.now() + 6_000).toISOString() });
    await live.until(({ type, data }) => type === 'status' && data.status === 'in_progress');
    await send('patch', `${AGENTS}/${id}`, settings('Second'));
    expect((await queued.read()).status).toBe('pending');
    const next = await place(id);

    await send('post', versions, settings('Canary'));
    const published = await send('post', `${versions}/3/publish`, { traffic_percent: 99 });
    expect(published.body.data).toMatchObject({ state: 'canary', traffic_percent: 99 });
    // None of three calls with a share of 99 %: once in a million runs.
    const calls = await Promise.all(Array.from({ length: 3 }, () => place(id)));
    expect((await send('post', `${versions}/1/restore`)).body.data).toMatchObject({ version: 4, state: 'current' });
    const restored = await place(id);

    expect(await Promise.all([live, queued, next, restored].map((call) => call.said(/\./)))).toEqual([
      ...['First.', 'First.', 'Second.', 'First.'],
    ]);
    const said = await Promise.all(calls.map((call) => call.said(/\./)));
    const records = await Promise.all(calls.map((call) => call.read()));
    expect(said).toEqual(records.map(({ agent_version: version }) => (version === 3 ? 'Canary.' : 'Second.')));
    expect(said).toContain('Canary.');
    const all = [live, queued, next, ...calls, restored];
    await Promise.all(all.map((call) => call.cancel()));
    expect((await live.read()).agent_version).toBe(1);
    const list = await send('get', `/api/v1/calls?agent_id=${id}&agent_version=4`);
    expect(list.body.data.map(({ call_id: call }: { call_id: string }) => call)).toEqual([restored.id]);

    await hooks.until(() => all.every((call) => told(call).some(({ status }) => status === 'completed')));
    const paths: Record<number, string> = { 1: '/First', 2: '/Second', 3: '/Canary', 4: '/First' };
    for (const call of all) {
      const { agent_version: version } = await call.read();
      expect(new Set(told(call).map((one) => `${one.agent_version} ${one.path}`))).toEqual(
        new Set([`${version} ${paths[version!]}`]),
      );
    }
  });
});

describe('the pre-call webhook of an agent', () => {
  let crm: WebhookReceiver;
  let id: number;
  const calls: Record<string, LiveCall> = {};
  const ADA = { variables: { customer_name: 'Ada' }, agent_overrides: { greeting: 'Good day {{customer_name}}.' } };
  /** The answers by the case in the metadata of the call. */
  const answers: Record<string, unknown> = {
    ada: ADA,
    skipped: { skip: 'The customer has opted out.' },
    override: { agent_overrides: { max_call_seconds: 0 } },
  };

  const placed = (name: string): Promise<LiveCall> =>
    place(id, { metadata: { case: name }, variables: { customer_name: 'Eve' } });
  const outcomeOf = async (call: LiveCall) => (await call.until(({ type }) => type === 'pre_call_webhook')).data;

  beforeAll(async () => {
    crm = await WebhookReceiver.start();
    crm.answer = ({ body }, response) => {
      const event = JSON.parse(body) as { data: { metadata: { case: string } } };
      const answer = answers[event.data.metadata.case];
      response.writeHead(answer ? 200 : 503, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    };
    id = await created({
      greeting: 'Hello {{customer_name | there}}.',
      variables: [{ name: 'customer_name', max_length: 40 }],
      pre_call_webhook: { url: crm.url('/crm'), headers: [{ key: 'Authorization', value: 'Bearer crm' }] },
    });
    const names = [...Object.keys(answers), 'error'];
    await Promise.all(names.map(async (name) => (calls[name] = await placed(name))));
  });
  afterAll(() => crm?.close());

  it('is signed, and its variables and overrides decide what the agent says', async () => {
    const call = calls.ada!;
    expect(await call.said(/\./)).toBe('Good day Ada.');
    const request = crm.received.find(({ body }) => body.includes(call.id))!;
    const event = new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
    expect(event).toMatchObject({
      ...{ type: 'pre-call', event: 'requested' },
      data: { call_id: call.id, direction: 'outbound', status: 'pending', variables: { customer_name: 'Eve' } },
    });
    expect(request.headers.authorization).toBe('Bearer crm');
    expect(await call.cancel()).toMatchObject({ variables: { customer_name: 'Ada' } });
    const deliveries = await send('get', `/api/v1/webhook-deliveries?call_id=${call.id}&type=pre-call`);
    expect(deliveries.body.data).toMatchObject([{ state: 'delivered', attempt_count: 1 }]);
    const path = `/api/v1/webhook-deliveries/${deliveries.body.data[0].id}`;
    expect((await send('get', path)).body.data.attempts).toMatchObject([
      { status: 200, answer: expect.stringContaining('Ada'), request_headers: { authorization: '[redacted]' } },
    ]);
    expect((await send('post', `${path}/replay`)).status).toBe(409);
  });

  it('can skip a call, which ends before its phone rings', async () => {
    const call = calls.skipped!;
    const record = { status: 'cancelled', hangup_cause: 'skipped_by_webhook', started_at: null };
    expect(await call.ended()).toMatchObject(record);
    expect(await outcomeOf(call)).toMatchObject({ outcome: 'skipped', reason: 'The customer has opted out.' });
  });

  it.each([
    ['error', /status 503/],
    ['override', /agent_overrides\.max_call_seconds/],
  ])(
    'changes nothing when its answer is wrong (%s): an event has the reason, and the call goes on',
    async (name, reason) => {
      const call = calls[name]!;
      expect(await outcomeOf(call)).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(reason) });
      expect(await call.said(/\./)).toBe('Hello Eve.');
      await call.cancel();
    },
  );

  it('skips its calls after a failure, if on_error says so', async () => {
    const url = crm.url('/strict');
    await send('patch', `${AGENTS}/${id}`, { pre_call_webhook: { url, on_error: 'skip' } });
    const call = await placed('strict');
    expect(await call.ended()).toMatchObject({ status: 'cancelled', hangup_cause: 'skipped_by_webhook' });
  });
});
