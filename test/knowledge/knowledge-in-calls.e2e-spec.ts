import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Workspace, anAgent } from '../support/factories.js';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { LiveCall } from '../support/live-call.js';
import { Service } from '../support/service.js';

const service = Service.get();
let own: Workspace;
let other: Workspace;
let ids: { dear: number; cheap: number; inactive: number; foreign: number };

beforeAll(async () => {
  [own, other] = await Promise.all([service.account(), service.account()]);
  await service.as(own.token).patch(`/api/v1/agents/${own.agentId}`).send({ greeting: 'Hi.' }).expect(200);
  const client = new KnowledgeClient(service, own);
  const owner = new KnowledgeClient(service, { ...own, agentId: await anAgent(service.pool, own.accountId) });
  const [dear, inactive] = [
    await client.text('Dear', 'Article 4711 costs nine euros.'),
    await client.text('Old', 'Article 4712 costs two euros.'),
  ];
  const cheap = await owner.text('Cheap', 'Article 4711 costs one euro.', [own.agentId]);
  await client.change(inactive.id, { is_active: false });
  const foreign = await new KnowledgeClient(service, other).text('Foreign', 'Article 4711 costs nothing.');
  ids = { dear: dear.id, cheap: cheap.id, inactive: inactive.id, foreign: foreign.id };
});
afterAll(() => service.close());

const simulated = async (body: object) => {
  const steps = [{ says: 'What does article 4711 cost?' }];
  const path = `/api/v1/agents/${own.agentId}/simulations`;
  return service
    .as(own.token)
    .post(path)
    .send({ steps, ...body });
};

describe('a call with some of the knowledge bases of its agent', () => {
  it('searches only in them; the agent reads the passage, and without any it has no search', async () => {
    const order = (knowledge_base_ids: number[]) => ({ knowledge_base_ids });
    const [cheap, dear, none] = await Promise.all([
      LiveCall.place(service, own, 'press_4711', order([ids.cheap])),
      LiveCall.place(service, own, 'press_4711', order([ids.dear])),
      LiveCall.place(service, own, 'press_4711', order([])),
    ]);
    const [one, nine, pressed] = await Promise.all([cheap.said(/found/), dear.said(/found/), none.said(/pressed/)]);
    expect(one).toContain('I found this in Cheap. Article 4711 costs one euro');
    expect(nine).toContain('I found this in Dear. Article 4711 costs nine euros');
    expect(pressed).not.toContain('euro');
    const calls = await Promise.all([cheap.cancel(), dear.cancel(), none.cancel()]);
    expect(calls.map(({ knowledge_base_ids: selected }) => selected)).toEqual([[ids.cheap], [ids.dear], []]);
  });

  it('tells the callee that it found nothing, be it unknown or inactive', async () => {
    const [unknown, inactive] = await Promise.all([
      LiveCall.place(service, own, 'press_909090', { knowledge_base_ids: [ids.dear] }),
      LiveCall.place(service, own, 'press_4712', {}),
    ]);
    for (const call of [unknown, inactive]) expect(await call.said(/found/)).toContain('I found nothing about that.');
    await Promise.all([unknown.cancel(), inactive.cancel()]);
  });

  it('is refused for unknown, inactive and foreign ones, and no phone rings', async () => {
    const to_number = `sip:answer@127.0.0.1:${service.sandboxPort}`;
    const knowledge_base_ids = [ids.dear, ids.inactive, ids.foreign, 2_000_000_000];
    const body = { to_number, agent_id: own.agentId, number_id: own.numberId, knowledge_base_ids };
    const answer = await service.as(own.token).post('/api/v1/calls').send(body);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      {
        'knowledge_base_ids.1': [`The knowledge base ${ids.inactive} is not active.`],
        'knowledge_base_ids.2': [`This agent has no knowledge base ${ids.foreign}.`],
        'knowledge_base_ids.3': ['This agent has no knowledge base 2000000000.'],
      },
    ]);
  });
});

describe('a simulation with some of the knowledge bases of its agent', () => {
  it('searches only in them', async () => {
    const titles = async (body: object): Promise<string[][]> => {
      const { body: told } = await simulated(body);
      const searches = told.data.knowledge_searches as { results: { title: string; matched: string }[] }[];
      for (const { matched } of searches.flatMap(({ results }) => results)) expect(matched).toBe('words');
      return searches.map(({ results }) => results.map(({ title }) => title).toSorted());
    };
    expect(await titles({})).toEqual([['Cheap', 'Dear']]);
    expect(await titles({ knowledge_base_ids: [ids.dear] })).toEqual([['Dear']]);
    expect(await titles({ knowledge_base_ids: [] })).toEqual([]);
    expect(Object.keys((await simulated({ knowledge_base_ids: [ids.foreign] })).body.errors as object)).toEqual([
      'knowledge_base_ids.0',
    ]);
  });
});
