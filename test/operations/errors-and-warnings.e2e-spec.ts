import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf, createTrunkline, placeCall, TrunklineError, type Warning } from '@app/client';
import type { Test } from 'supertest';
import type { Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const service = Service.get();
const ANA = `sip:busy@127.0.0.1:${service.sandboxPort}`;
/** No account of a test has so many records. */
const UNKNOWN = 2_000_000_000;

let own: Workspace;
let stranger: Workspace;

beforeAll(async () => {
  [own, stranger] = await Promise.all([service.account(), service.account()]);
});
afterAll(() => service.close());

const me = () => service.as(own.token);
const order = () => ({ to_number: ANA, agent_id: own.agentId, number_id: own.numberId });
const call = (changes: object) =>
  me()
    .post('/api/v1/calls')
    .send({ ...order(), ...changes });
const tools = () => `/api/v1/agents/${own.agentId}/tools`;
const tool = (name: string, more: object = {}) => ({
  name,
  description: 'Asks.',
  parameters: { type: 'object', properties: {} },
  ...more,
});
const callsOf = async () => (await me().get('/api/v1/calls')).body.meta.total as number;

describe('the errors of invalid fields', () => {
  it('have codes in the order of the sentences, and the request id of the header and the log', async () => {
    const answer = await call({ to_number: [ANA, 'nobody'], agent_id: 'one', number_id: undefined }).set(
      'X-Request-Id',
      'story-of-errors',
    );
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        message: expect.stringContaining('(and 2 more errors)'),
        errors: {
          agent_id: ['The agent id field must be an integer.'],
          number_id: ['The number id field is required.'],
          'to_number.1': [expect.stringContaining('E.164 or SIP URI')],
        },
        codes: { agent_id: ['wrong_type'], number_id: ['missing'], 'to_number.1': ['invalid_format'] },
        request_id: 'story-of-errors',
      },
    ]);
    expect(answer.headers['x-request-id']).toBe('story-of-errors');
  });

  it.each<[string, string, string, (id: number) => Test, keyof Workspace]>([
    ['agent', 'agent_id', 'No agent ID in this account.', (id) => call({ agent_id: id }), 'agentId'],
    ['number', 'number_id', 'No number ID in this account.', (id) => call({ number_id: id }), 'numberId'],
    ['trunk', 'trunk_id', 'No trunk ID in this account.', (id) => call({ trunk_id: id }), 'trunkId'],
    [
      'caller id',
      'call_transfer.caller_id_number_id',
      'No number ID in this account.',
      (id) =>
        me()
          .patch(`/api/v1/agents/${own.agentId}`)
          .send({ call_transfer: { enabled: true, phone_number: '+15550001111', caller_id_number_id: id } }),
      'numberId',
    ],
    [
      'agent of a number',
      'agent_id',
      'No agent ID in this account.',
      (id) => me().patch(`/api/v1/numbers/${own.numberId}`).send({ agent_id: id }),
      'agentId',
    ],
    [
      'agent that shares knowledge',
      'agent_ids.0',
      'No agent ID in this account.',
      (id) =>
        me()
          .post(`/api/v1/agents/${own.agentId}/knowledge-bases`)
          .send({ title: 'Prices', source_type: 'text', content: 'One costs two.', agent_ids: [id] }),
      'agentId',
    ],
  ])('name the %s that the account does not have, also if another account has it', async (_, field, text, ask, key) => {
    for (const id of [UNKNOWN, stranger[key] as number]) {
      const { status, body } = await ask(id);
      expect([status, body.errors, body.codes]).toEqual([
        422,
        { [field]: [text.replace('ID', String(id))] },
        { [field]: ['not_found'] },
      ]);
    }
  });

  it('of a country is that of a wrong choice', async () => {
    const { status, body } = await me().get('/api/v1/phone-numbers/parse').query({ number: '030', country: 'Germany' });
    expect([status, body.codes]).toEqual([422, { country: ['invalid_choice'] }]);
    const account = await me().patch('/api/v1/account').send({ default_country: 'XX' });
    expect([account.status, account.body.codes]).toEqual([422, { default_country: ['invalid_choice'] }]);
  });

  it.each<[object, string]>([
    [{}, 'missing'],
    [{ contacts: '+15550001111' }, 'wrong_type'],
    [{ contacts: [] }, 'too_few'],
  ])('of the contacts %j have the code %s', async (body, code) => {
    const { accountId, agentId, numberId, trunkId } = own;
    const settings = {
      name: `codes ${accountId} ${code}`,
      agent_id: agentId,
      number_ids: [numberId],
      trunk_id: trunkId,
    };
    const campaign = await me().post('/api/v1/campaigns').send(settings).expect(201);
    const added = await me().post(`/api/v1/campaigns/${campaign.body.data.id}/contacts`).send(body);
    expect([added.status, added.body.codes]).toEqual([422, { contacts: [code] }]);
  });

  it.each<[object, string]>([
    [{ questions: 'Why?' }, 'wrong_type'],
    [{ questions: [] }, 'too_few'],
    [{ questions: ['a', 'b', 'c', 'd'] }, 'too_many'],
  ])('of a retrieval test with %j have the code %s', async (body, code) => {
    const { status, body: answer } = await me().post(`/api/v1/agents/${own.agentId}/knowledge-bases/tests`).send(body);
    expect([status, answer.codes.questions]).toEqual([422, [code]]);
  });

  it('name what the agent does not have', async () => {
    const { status, body } = await call({ agent_overrides: { tool_ids: [UNKNOWN], knowledge_base_ids: [UNKNOWN] } });
    expect([status, body.errors]).toEqual([
      422,
      {
        'agent_overrides.knowledge_base_ids.0': [`This agent has no knowledge base ${UNKNOWN}.`],
        'agent_overrides.tool_ids.0': [`This agent has no tool ${UNKNOWN}.`],
      },
    ]);
  });

  it('are about the member in which a program sends values, when a variable is missing', async () => {
    const made = await me()
      .post('/api/v1/agents')
      .send({
        name: 'Personal',
        greeting: 'Hello {{customer_name}}.',
        variables: [{ name: 'customer_name', required: true }],
      });
    const without = { agent_id: made.body.data.id as number };
    const [neither, empty] = await Promise.all([call(without), call({ ...without, variables: { other: 'x' } })]);
    expect(neither.body.codes).toEqual({ 'metadata.customer_name': ['missing'] });
    expect(empty.body.codes).toEqual({ 'variables.customer_name': ['missing'] });
    expect(empty.body.errors['variables.customer_name']).toEqual([
      'The variables.customer_name field is required by the agent.',
    ]);
  });

  it.each([
    ['agentId', { agent_id: undefined, agentId: 1 }, 'agent_id'],
    ['to_nubmer', { to_number: undefined, to_nubmer: ANA }, 'to_number'],
  ])('ask whether %s was meant for a field that is missing', async (given, changes, field) => {
    const { body } = await call(changes);
    expect(body.errors[field]).toEqual([
      expect.stringMatching(new RegExp(`is required\\. Did you mean ${field} instead of ${given}\\?$`)),
    ]);
  });

  it('of JSON say where it ends to be JSON, and what was expected', async () => {
    const sent = '{\n  "agent_id": 1\n  "number_id": 2\n}';
    const { status, body } = await me().post('/api/v1/calls').set('Content-Type', 'application/json').send(sent);
    expect([status, body]).toEqual([
      400,
      { message: 'The request body is not valid JSON. Line 3, column 3: expected a comma or a closing bracket.' },
    ]);
  });
});

describe('the warnings of a request with ignored fields', () => {
  const unknown = (field: string, hint = '') => ({
    code: 'unknown_field',
    field,
    message: `The field ${field} is unknown and was ignored.${hint}`,
  });

  it.each<[string, unknown[] | undefined, () => Test]>([
    ['are absent when all fields are known', undefined, () => call({ metadata: { recrod: 1 } })],
    ['name the field that was meant', [unknown('recrod', ' Did you mean record?')], () => call({ recrod: false })],
    ['read camelCase', [unknown('trunkId', ' Did you mean trunk_id?')], () => call({ trunkId: 1 })],
    [
      'say where a field belongs: a tool with a url of its own sends no request',
      [unknown('url', ' Did you mean url of webhook_actions?')],
      () =>
        me()
          .post(tools())
          .send(tool('with_url', { url: 'https://example.com/' })),
    ],
    [
      'find fields of objects in lists',
      [unknown('webhook_actions.0.hedaers', ' Did you mean webhook_actions.0.headers?')],
      () =>
        me()
          .post(tools())
          .send(tool('nested', { webhook_actions: [{ name: 'ask', url: 'https://example.com/', hedaers: {} }] })),
    ],
    [
      'find fields of the settings of an agent',
      [unknown('conversation.idle.after_secs', ' Did you mean conversation.idle.after_seconds?')],
      () =>
        me()
          .patch(`/api/v1/agents/${own.agentId}`)
          .send({ conversation: { idle: { after_secs: 5 } } }),
    ],
    [
      'find fields of the hours of a number',
      [unknown('hours.exclude_dates', ' Did you mean hours.excluded_dates?')],
      () =>
        me()
          .patch(`/api/v1/numbers/${own.numberId}`)
          .send({
            hours: {
              time_zone: 'Europe/Berlin',
              windows: [{ days: ['monday'], from: '09:00', to: '17:00' }],
              exclude_dates: [],
            },
          }),
    ],
    [
      'find fields of the destinations of a call',
      [unknown('to_number.0.metdata')],
      () => call({ to_number: [{ to_number: ANA, metdata: {} }] }),
    ],
    [
      'are beside the data of a list',
      [unknown('statsu', ' Did you mean status?')],
      () => me().get('/api/v1/calls?statsu=1'),
    ],
    ['name fields of routes without any', [unknown('expand')], () => me().get(`${tools()}?per_page=1&expand=all`)],
  ])('%s', async (_, warnings, ask) => {
    const { status, body } = await ask();
    expect([status < 300, body.warnings]).toEqual([true, warnings]);
    expect(Object.keys(body as object)).toContain('data');
  });

  it('stand beside those of the handler', async () => {
    const { accountId, agentId, numberId, token } = await service.account();
    await service.pool.query('UPDATE phone_numbers SET agent_id = $1 WHERE account_id = $2', [agentId, accountId]);
    const { status, body } = await service.as(token).delete(`/api/v1/agents/${agentId}?reasign_to=1`);
    expect([status, body.warnings]).toEqual([
      200,
      [
        expect.objectContaining({ code: 'number_without_agent', field: `numbers.${numberId}` }),
        unknown('reasign_to', ' Did you mean reassign_to?'),
      ],
    ]);
  });

  it('end after twenty fields', async () => {
    const names = Array.from({ length: 30 }, (_, index) => [`unknown_${index}`, 1]);
    const { body } = await call(Object.fromEntries(names) as object);
    expect(body.warnings).toHaveLength(21);
    expect(body.warnings[20]).toMatchObject({ field: null });
  });
});

describe('a request that prefers strict handling', () => {
  const strict = (request: Test) => request.set('Prefer', 'respond-async, handling=strict');

  it('creates nothing when a field is unknown, and says that the preference was applied', async () => {
    const before = await callsOf();
    const refused = await strict(call({ recrod: false }));
    expect([refused.status, refused.headers['preference-applied'], refused.body.errors, refused.body.codes]).toEqual([
      422,
      'handling=strict',
      { recrod: ['The field recrod is unknown. Did you mean record?'] },
      { recrod: ['unknown_field'] },
    ]);
    expect(await callsOf()).toBe(before);
    const created = await strict(call({ record: false }));
    expect([created.status, created.headers['preference-applied'], created.body.warnings]).toEqual([
      201,
      'handling=strict',
      undefined,
    ]);
  });

  it('changes nothing when a field inside of the settings is unknown', async () => {
    const path = `/api/v1/agents/${own.agentId}`;
    const before = (await me().get(path)).body.data as { version: number };
    const change = { greeting: 'Good morning.', conversation: { idle: { after_secs: 5 } } };
    const refused = await strict(me().patch(path).send(change));
    expect([refused.status, refused.body.codes]).toEqual([422, { 'conversation.idle.after_secs': ['unknown_field'] }]);
    expect((await me().get(path)).body.data).toEqual(before);
  });

  it.each<[string, string[], () => Test]>([
    ['query parameters', ['statsu'], () => me().get('/api/v1/calls?statsu=failed')],
    ['query parameters of routes without any', ['x'], () => me().get(`/api/v1/agents/${own.agentId}?x=1`)],
    [
      'fields of nested objects',
      ['webhook_actions.0.urll'],
      () =>
        me()
          .post(tools())
          .send(tool('strict', { webhook_actions: [{ name: 'ask', url: 'https://example.com/', urll: 1 }] })),
    ],
    [
      'unknown and missing fields together',
      ['number_id', 'nubmer_id'],
      () => call({ number_id: undefined, nubmer_id: 1 }),
    ],
    [
      'fields of forms',
      ['titel'],
      () =>
        me()
          .post(`/api/v1/agents/${own.agentId}/knowledge-bases`)
          .field({ title: 'x', titel: 'y', source_type: 'file' })
          .attach('file', Buffer.from('x'), 'x.txt'),
    ],
    ['fields of a number', ['hors'], () => me().patch(`/api/v1/numbers/${own.numberId}`).send({ hors: null })],
    [
      'fields of the account',
      ['redaction.kindz'],
      () =>
        me()
          .patch('/api/v1/account')
          .send({ redaction: { kindz: [] } }),
    ],
  ])('has an error for %s', async (_, fields, ask) => {
    const { status, body } = await strict(ask());
    expect([status, Object.keys((body.errors ?? {}) as object).toSorted()]).toEqual([422, fields.toSorted()]);
  });

  it('does not tell records of other accounts from unknown ones', async () => {
    const path = `/api/v1/agents/${stranger.agentId}`;
    const refused = await strict(me().patch(path).send({ greting: 'Hello.' }));
    expect([refused.status, refused.body]).toEqual([404, { message: 'Agent not found.' }]);
  });
});

describe('the client', () => {
  const options = () => ({ baseUrl: service.baseUrl, token: own.token, retries: 0, onIgnoredField: false as const });

  it('sends the preference with `strict`, and has the codes in its error', async () => {
    const refused = await placeCall(createTrunkline({ ...options(), strict: true }), {
      ...order(),
      recrod: 1,
    } as never).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TrunklineError);
    expect(refused).toMatchObject({ status: 422, codes: { recrod: ['unknown_field'] } });
  });

  it('returns warnings beside the data, and gives them to the program', async () => {
    const warnings: Warning[] = [];
    const client = createTrunkline({ ...options(), onWarning: (warning) => warnings.push(warning) });
    const body = { ...order(), recrod: 1 };
    const answer = await bodyOf(client.POST('/api/v1/calls', { body }));
    expect(answer.warnings).toEqual([expect.objectContaining({ code: 'unknown_field', field: 'recrod' })]);
    expect(warnings).toEqual(answer.warnings);
  });
});
