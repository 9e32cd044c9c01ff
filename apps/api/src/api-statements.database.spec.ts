import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/common';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { aCall, aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { statementsOf } from '../../../test/support/statements-of.js';

let api: InProcessApi;
let own: Workspace;
let callId: string;
let toolId: number;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
  for (let n = 0; n < 20; n += 1) callId = await aCall(api.pool, own);
  await api.as(own.token).get('/api/v1/calls');
  const made = await api
    .as(own.token)
    .post(`/api/v1/agents/${own.agentId}/tools`)
    .send({ name: 'ask', description: 'Asks.', webhook_actions: [{ name: 'ask', url: 'https://example.com/' }] });
  toolId = made.body.data.id;
  // The queue of calls is counted once in a while.
  await api.as(own.token).post('/api/v1/calls').send(order());
});
afterAll(() => api.stop());

const order = () => ({
  to_number: ['sip:a@127.0.0.1', 'sip:b@127.0.0.1'],
  agent_id: own.agentId,
  number_id: own.numberId,
});

const trunkOrder = () => ({
  ...order(),
  to_number: ['+15550002222', '+15550003333'],
  trunk_id: own.trunkId,
});

describe('with a cached token and queue length, the api sends', () => {
  const me = () => api.as(own.token);

  it.each([
    ['one statement for one call', 1, 200, () => me().get(`/api/v1/calls/${callId}`)],
    ['two statements for a full page of calls', 2, 200, () => me().get('/api/v1/calls')],
    ['two statements for a later page of calls', 2, 200, () => me().get('/api/v1/calls?page=2')],
    ['one statement for a page of calls that is not full', 1, 200, () => me().get('/api/v1/calls?per_page=100')],
    ['one statement for a page of calls by cursor', 1, 200, () => me().get('/api/v1/calls?pagination=cursor')],
    ['two statements to create two calls over a trunk', 2, 201, () => me().post('/api/v1/calls').send(trunkOrder())],
    [
      'two statements to create two calls over a trunk with an idempotency key',
      2,
      201,
      () => me().post('/api/v1/calls').set('Idempotency-Key', newId()).send(trunkOrder()),
    ],
    // The hosts are compared with the targets of trunks first.
    ['three statements to create two calls to SIP URIs', 3, 201, () => me().post('/api/v1/calls').send(order())],
    [
      'one statement for one tool with its actions',
      1,
      200,
      () => me().get(`/api/v1/agents/${own.agentId}/tools/${toolId}`),
    ],
    ['two statements for a page of tools', 2, 200, () => me().get(`/api/v1/agents/${own.agentId}/tools?status=active`)],
    ['one statement for a full page of agents', 1, 200, () => me().get('/api/v1/agents?per_page=1')],
    ['two statements for a page of agents beyond the last one', 2, 200, () => me().get('/api/v1/agents?page=9')],
    ['one statement for a page of numbers', 1, 200, () => me().get('/api/v1/numbers?per_page=1')],
    ['one statement for a page of tokens', 1, 200, () => me().get('/api/v1/tokens?per_page=1')],
    ['one statement for a page of webhook endpoints', 1, 200, () => me().get('/api/v1/webhook-endpoints')],
    ['no statement for an invalid field', 0, 422, () => me().post('/api/v1/calls').send({})],
    [
      'one statement for an invalid field below a record, to check that the record exists',
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
