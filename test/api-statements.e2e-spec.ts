import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/common';
import { TestApi } from './support/app.js';
import { aCall, aWorkspace, type Workspace } from './support/factories.js';
import { statementsOf } from './support/statements-of.js';

let api: TestApi;
let own: Workspace;
let callId: string;
let toolId: number;

beforeAll(async () => {
  api = await TestApi.start();
  own = await aWorkspace(api.pool);
  for (let n = 0; n < 20; n += 1) callId = await aCall(api.pool, own);
  await api.as(own.token).get('/api/v1/calls');
  const made = await api
    .as(own.token)
    .post(`/api/v1/agents/${own.agentId}/tools`)
    .send({ name: 'ask', description: 'Asks.', webhook_actions: [{ name: 'ask', url: 'https://example.com/' }] });
  toolId = made.body.data.id;
  // The line of waiting calls is looked at once in a while.
  await api.as(own.token).post('/api/v1/calls').send(order());
});
afterAll(() => api.stop());

const order = () => ({
  to_number: ['sip:a@127.0.0.1', 'sip:b@127.0.0.1'],
  agent_id: own.agentId,
  number_id: own.numberId,
});

describe('with a warm token and line, the database is asked', () => {
  const me = () => api.as(own.token);

  it.each([
    ['once for one call', 1, 200, () => me().get(`/api/v1/calls/${callId}`)],
    ['twice for a full page', 2, 200, () => me().get('/api/v1/calls')],
    ['twice for a later page', 2, 200, () => me().get('/api/v1/calls?page=2')],
    ['once for a page that is not full', 1, 200, () => me().get('/api/v1/calls?per_page=100')],
    ['once for a page by cursor', 1, 200, () => me().get('/api/v1/calls?pagination=cursor')],
    ['twice to create two calls', 2, 201, () => me().post('/api/v1/calls').send(order())],
    [
      'twice to create them with a key',
      2,
      201,
      () => me().post('/api/v1/calls').set('Idempotency-Key', newId()).send(order()),
    ],
    ['once for one tool with its actions', 1, 200, () => me().get(`/api/v1/agents/${own.agentId}/tools/${toolId}`)],
    ['twice for a page of tools', 2, 200, () => me().get(`/api/v1/agents/${own.agentId}/tools?status=active`)],
    ['never for a wrong field', 0, 422, () => me().post('/api/v1/calls').send({})],
    [
      'once more for a wrong field at a record',
      1,
      422,
      () => me().post(`/api/v1/agents/${own.agentId}/tools`).send({}),
    ],
    ['never for a scope or a route that is none', 0, 404, () => me().get('/api/v1/nowhere')],
  ])('%s', async (_name, statements, status, work) => {
    const sent = await statementsOf(api.pool, async () => expect((await work()).status).toBe(status));
    expect(sent).toHaveLength(statements);
  });
});
