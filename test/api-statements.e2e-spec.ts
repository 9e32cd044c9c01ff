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
  // The queue length is cached.
  await api.as(own.token).post('/api/v1/calls').send(order());
});
afterAll(() => api.stop());

const order = () => ({
  to_number: ['sip:a@127.0.0.1', 'sip:b@127.0.0.1'],
  agent_id: own.agentId,
  number_id: own.numberId,
});

describe('with a cached token and queue length, the API sends', () => {
  const me = () => api.as(own.token);

  it.each([
    ['one statement for one call', 1, 200, () => me().get(`/api/v1/calls/${callId}`)],
    ['two statements for a full page', 2, 200, () => me().get('/api/v1/calls')],
    ['two statements for a later page', 2, 200, () => me().get('/api/v1/calls?page=2')],
    ['one statement for a page that is not full', 1, 200, () => me().get('/api/v1/calls?per_page=100')],
    ['one statement for a page by cursor', 1, 200, () => me().get('/api/v1/calls?pagination=cursor')],
    ['two statements to create two calls', 2, 201, () => me().post('/api/v1/calls').send(order())],
    [
      'two statements to create two calls with an idempotency key',
      2,
      201,
      () => me().post('/api/v1/calls').set('Idempotency-Key', newId()).send(order()),
    ],
    [
      'one statement for one tool with its actions',
      1,
      200,
      () => me().get(`/api/v1/agents/${own.agentId}/tools/${toolId}`),
    ],
    ['two statements for a page of tools', 2, 200, () => me().get(`/api/v1/agents/${own.agentId}/tools?status=active`)],
    ['no statement for an invalid field', 0, 422, () => me().post('/api/v1/calls').send({})],
    [
      'one statement for an invalid field below a record',
      1,
      422,
      () => me().post(`/api/v1/agents/${own.agentId}/tools`).send({}),
    ],
    ['no statement for an unknown route', 0, 404, () => me().get('/api/v1/nowhere')],
  ])('%s', async (_name, statements, status, work) => {
    const sent = await statementsOf(api.pool, async () => expect((await work()).status).toBe(status));
    expect(sent).toHaveLength(statements);
  });
});
