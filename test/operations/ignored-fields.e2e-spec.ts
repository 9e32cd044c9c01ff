import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { TestApi } from '../support/app.js';
import { aCall, aWorkspace, type Workspace } from '../support/factories.js';

const PAGE = 'https://app.example.com';

let api: TestApi;
let own: Workspace;
let callId: string;

beforeAll(async () => {
  api = await TestApi.start({ CORS_ORIGINS: PAGE });
  own = await aWorkspace(api.pool);
  callId = await aCall(api.pool, own);
});
afterAll(() => api.stop());

const me = () => api.as(own.token);
const order = () => ({ to_number: 'sip:a@127.0.0.1', agent_id: own.agentId, number_id: own.numberId });
const tool = (name: string, more: object = {}) => ({
  name,
  description: 'Asks.',
  parameters: { type: 'object', properties: {}, 'x-anything': true },
  webhook_actions: [{ name: 'ask', url: 'https://example.com/', payload: { free: true }, ...more }],
});
const tools = () => `/api/v1/agents/${own.agentId}/tools`;
const knowledge = () => `/api/v1/agents/${own.agentId}/knowledge-bases`;

describe('the header Trunkline-Ignored-Fields', () => {
  it.each<[string, number, string | undefined, () => Test]>([
    [
      'is absent when all fields are known',
      201,
      undefined,
      () =>
        me()
          .post('/api/v1/calls')
          .send({ ...order(), metadata: { x: 1 } }),
    ],
    [
      'lists an unknown field',
      201,
      'recrod',
      () =>
        me()
          .post('/api/v1/calls')
          .send({ ...order(), recrod: false }),
    ],
    [
      'lists nested fields by their path',
      201,
      'webhook_actions.0.hedaers',
      () =>
        me()
          .post(tools())
          .send(tool('one', { hedaers: { a: 'b' } })),
    ],
    ['omits fields of free-form JSON', 201, undefined, () => me().post(tools()).send(tool('two'))],
    ['lists unknown query parameters', 200, 'statsu', () => me().get('/api/v1/calls?statsu=failed&page=1')],
    [
      'lists query parameters of a route without parameters',
      200,
      'expand',
      () => me().get(`/api/v1/calls/${callId}?expand=agent`),
    ],
    [
      'lists body fields and query parameters of a route without both',
      200,
      'x, reason',
      () => me().post(`/api/v1/calls/${callId}/cancel?x=1`).send({ reason: 'none' }),
    ],
    [
      'is sent with validation errors',
      422,
      'agentid',
      () =>
        me()
          .post('/api/v1/calls')
          .send({ ...order(), agent_id: undefined, agentid: 1 }),
    ],
    [
      'lists unknown form fields',
      201,
      'titel',
      () =>
        me()
          .post(knowledge())
          .field({ title: 'x', titel: 'y', source_type: 'file' })
          .attach('file', Buffer.from('x'), 'x.txt'),
    ],
    [
      'is absent if unknown fields are errors',
      422,
      undefined,
      () => me().post(`/api/v1/agents/${own.agentId}/simulations`).send({ stpes: [] }),
    ],
  ])('%s', async (_, status, names, ask) => {
    const answer = await ask();
    expect([answer.status, answer.headers['trunkline-ignored-fields']]).toEqual([status, names]);
  });

  it('has ids and timestamps, which no body sets', async () => {
    const stranger = await aWorkspace(api.pool);
    const mine = { account_id: stranger.accountId, id: 4_711, created_at: '2001-01-01', agent_id: stranger.agentId };
    const made = await me()
      .post(tools())
      .send({ ...tool('three'), ...mine });
    expect(made.headers['trunkline-ignored-fields']).toContain('account_id');
    expect(made.body.data).toMatchObject({ agent_id: own.agentId, name: 'three' });
    expect([made.body.data.id === 4_711, /^2001/.test(made.body.data.created_at as string)]).toEqual([false, false]);
    const theirs = await api.as(stranger.token).get(`/api/v1/agents/${stranger.agentId}/tools`);
    expect(theirs.body.data).toEqual([]);
  });

  it('is readable by pages of allowed origins', async () => {
    const answer = await me().get('/api/v1/calls?x=1').set('Origin', PAGE);
    expect(answer.headers['access-control-expose-headers']).toContain('Trunkline-Ignored-Fields');
  });
});

describe('CORS', () => {
  const preflight = (origin: string) =>
    api.as().options('/api/v1/calls').set({
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    });

  it('answers the preflight of an allowed origin without a token', async () => {
    const { status, headers } = await preflight(PAGE);
    expect([status, headers['access-control-allow-origin'], headers['vary']]).toEqual([204, PAGE, 'Origin']);
    expect(headers['access-control-allow-methods']).toContain('POST');
    expect(headers['access-control-allow-headers']?.toLowerCase()).toContain('authorization');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it.each(['https://evil.example', `${PAGE}.evil.example`, 'null'])('allows nothing to %s', async (origin) => {
    const answers = [await preflight(origin), await me().get('/api/v1/calls').set('Origin', origin)];
    for (const { headers } of answers)
      expect([headers['access-control-allow-origin'], headers['vary']]).toEqual([undefined, 'Origin']);
  });
});
