import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aToken, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const service = Service.get();
let own: Workspace;

beforeAll(async () => {
  own = await service.account();
});
afterAll(() => service.close());

interface AuditEvent {
  id: number;
  action: string;
  actor: { kind: string; id: string };
  subject: { kind: string; id: string };
  details: Record<string, unknown>;
  request_id: string | null;
}

const eventsOf = async (query: Record<string, string | number> = {}, token = own.token): Promise<AuditEvent[]> =>
  (
    await service
      .as(token)
      .get('/api/v1/audit-events')
      .query({ per_page: 100, ...query })
      .expect(200)
  ).body.data as AuditEvent[];
const actions = (events: AuditEvent[]): string[] => events.map(({ action }) => action);

describe('the audit log', () => {
  it('tells who changed what in which request, newest first', async () => {
    const tools = `/api/v1/agents/${own.agentId}/tools`;
    const me = () => service.as(own.token);
    const made = await me().post(tools).send({ name: 'ask', description: 'Asks.' }).expect(201);
    const { id } = made.body.data as { id: number };
    await me().patch(`${tools}/${id}`).send({ description: 'Asks much.' }).expect(200);
    // Changes nothing.
    await me().patch(`${tools}/${id}`).send({}).expect(200);
    await me().delete(`${tools}/${id}`).set('X-Request-Id', 'my-request-1').expect(200);
    const [deleted, updated, added, ...more] = await eventsOf({ subject: `tool:${id}` });
    const { token_id: tokenId } = (await me().get('/api/v1/session')).body.data as { token_id: number };
    expect(deleted).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/\+00:00$/),
      account_id: own.accountId,
      actor: { kind: 'token', id: String(tokenId), email: null, name: null, subject: null },
      action: 'tool.deleted',
      subject: { kind: 'tool', id: String(id) },
      details: { agent_id: own.agentId, name: 'ask' },
      request_id: 'my-request-1',
    });
    expect([updated?.action, updated?.details]).toEqual([
      'tool.updated',
      { agent_id: own.agentId, changed: ['description'] },
    ]);
    expect([added?.action, added?.request_id, more]).toEqual(['tool.created', made.headers['x-request-id'], []]);
  });

  it('has changes of agents, numbers, trunks, tokens, knowledge and calls, without their secrets and texts', async () => {
    const one = await service.account();
    const me = () => service.as(one.token);
    const text = { title: 'Prices', source_type: 'text', content: 'A room costs 90.' };
    const not_before = new Date(Date.now() + 86_400_000).toISOString();
    const order = { to_number: 'sip:callee-4711@127.0.0.1', agent_id: one.agentId, number_id: one.numberId };
    const queued = await me()
      .post('/api/v1/calls')
      .send({ ...order, not_before })
      .expect(201);
    const callId = queued.body.data.call_id as string;
    const bases = `/api/v1/agents/${one.agentId}/knowledge-bases`;
    const { id: baseId } = (await me().post(bases).send(text).expect(201)).body.data as { id: number };
    const sent = [
      await me().patch(`/api/v1/agents/${one.agentId}`).send({ greeting: 'Good day to you.' }),
      await me().patch(`/api/v1/numbers/${one.numberId}`).send({ name: 'front' }),
      await me().patch(`/api/v1/trunks/${one.trunkId}`).send({ username: 'u', password: 'pa55word' }),
      await me().post('/api/v1/tokens').send({ name: 'crm' }),
      await me().put(`${bases}/${baseId}`).send({ content: 'A room costs 95.' }),
      await me().post(`${bases}/${baseId}/reprocess`),
      await me().delete(`${bases}/${baseId}`),
      await me().post('/api/v1/webhook-secrets/rotate').send({}),
      await me().post(`/api/v1/calls/${callId}/cancel`),
      await me().delete(`/api/v1/calls/${callId}`),
    ];
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 201, 200, 200, 200, 201, 200, 200]);
    const events = await eventsOf({}, one.token);
    expect(actions(events).toReversed()).toEqual([
      'knowledge_base.created',
      'agent.updated',
      'number.updated',
      'trunk.updated',
      'token.issued',
      'knowledge_base.updated',
      'knowledge_base.reprocessed',
      'knowledge_base.deleted',
      'webhook_secret.rotated',
      'call.cancelled',
      'call.deleted',
    ]);
    const token = sent[3]?.body.data.token as string;
    for (const secret of ['pa55word', 'Good day', 'room', 'callee-4711', token.slice(4)])
      expect(JSON.stringify(events)).not.toContain(secret);
  });

  it('has no event for a request that changed nothing', async () => {
    const before = (await eventsOf()).length;
    await service.as(own.token).post(`/api/v1/agents/${own.agentId}/tools`).send({}).expect(422);
    await service.as(own.token).delete('/api/v1/tokens/999999999').expect(404);
    const reader = await aToken(service.pool, own.accountId, ['calls:read']);
    await service.as(reader).post('/api/v1/tokens').send({ name: 'x' }).expect(403);
    expect(await eventsOf()).toHaveLength(before);
  });

  it('is filtered and paged', async () => {
    const filtered = await service.account();
    const post = (name: string) =>
      service.as(filtered.token).post(`/api/v1/agents/${filtered.agentId}/tools`).send({ name, description: 'x' });
    await post('one').expect(201);
    await post('two').expect(201);
    await service.as(filtered.token).post('/api/v1/tokens').send({ name: 'x' }).expect(201);
    const cases: [Record<string, string>, string[]][] = [
      [{ action: 'tool.created' }, ['tool.created', 'tool.created']],
      [{ subject: 'token' }, ['token.issued']],
      [{ actor: 'token' }, ['token.issued', 'tool.created', 'tool.created']],
      [{ actor: 'system' }, []],
      [{ date_from: '2999-01-01' }, []],
      [{ date_to: '2999-01-01', action: 'token.issued' }, ['token.issued']],
    ];
    for (const [query, expected] of cases)
      expect([query, actions(await eventsOf(query, filtered.token))]).toEqual([query, expected]);
    const page = await service.as(filtered.token).get('/api/v1/audit-events?per_page=1&page=3').expect(200);
    expect([actions(page.body.data as AuditEvent[]), page.body.meta]).toMatchObject([
      ['tool.created'],
      { current_page: 3, last_page: 3, total: 3 },
    ]);
    const wrong = await service.as(own.token).get('/api/v1/audit-events?actor=a%20b&date_from=then&action=x');
    expect([wrong.status, Object.keys(wrong.body.errors as object).toSorted()]).toEqual([
      422,
      ['action', 'actor', 'date_from'],
    ]);
  });
});
