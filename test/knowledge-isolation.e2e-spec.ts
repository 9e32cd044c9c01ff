import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApi } from './support/app.js';
import { anAgent, aWorkspace, type Workspace } from './support/factories.js';

let api: TestApi;
let [theirs, ours]: Workspace[] = [];
let id: number;
const SECRET = 'The recipe needs saffron.';
const pathOf = (agentId: number) => `/api/v1/agents/${agentId}/knowledge-bases`;

beforeAll(async () => {
  api = await TestApi.start();
  [theirs, ours] = [await aWorkspace(api.pool), await aWorkspace(api.pool)];
  const body = { title: 'Recipe', source_type: 'text', content: SECRET };
  const answer = await api.as(theirs.token).post(pathOf(theirs.agentId)).send(body);
  id = answer.body.data.id;
});
afterAll(() => api.stop());

const everything = async () =>
  (
    await api.pool.query(
      'SELECT b.*, c.text FROM knowledge_bases b JOIN knowledge_chunks c ON c.knowledge_base_id = b.id',
    )
  ).rows as unknown[];

describe("another account's knowledge", () => {
  it.each([
    ['get', ''],
    ['post', ''],
    ['post', '/search'],
    ['get', '/ID'],
    ['put', '/ID'],
    ['patch', '/ID'],
    ['delete', '/ID'],
    ['post', '/ID/reprocess'],
  ] as const)('%s %s is the same 404 as of nothing', async (method, rest) => {
    const before = await everything();
    const body = { title: 'x', source_type: 'text', content: 'y', query: 'saffron', is_active: false };
    const ask = (agentId: number, what: number) => {
      const path = pathOf(agentId) + rest.replace('ID', String(what));
      const request = api.as(ours!.token)[method](path);
      return method === 'get' ? request : request.send(body);
    };
    const [foreign, unknown] = [await ask(theirs!.agentId, id), await ask(999_999, 999_999)];
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
    expect(unknown.status).toBe(404);
    expect(await everything()).toEqual(before);
  });

  it('is not reached over an agent of our own either', async () => {
    const idle = await anAgent(api.pool, ours!.accountId);
    for (const agentId of [ours!.agentId, idle]) {
      for (const method of ['get', 'put', 'delete'] as const) {
        const answer = await api.as(ours!.token)[method](`${pathOf(agentId)}/${id}`);
        expect([method, answer.status]).toEqual([method, 404]);
      }
    }
    expect(await everything()).toHaveLength(1);
  });

  it('is never found by a search, whatever both have', async () => {
    const body = { title: 'Notes', source_type: 'text', content: 'Our dish has saffron, too.' };
    await api.as(ours!.token).post(pathOf(ours!.agentId)).send(body);
    const found = async (who: Workspace) =>
      (
        await api
          .as(who.token)
          .post(`${pathOf(who.agentId)}/search`)
          .send({ query: 'saffron', limit: 20 })
      ).body.data as {
        text: string;
      }[];
    expect((await found(ours!)).map(({ text }) => text)).toEqual(['Our dish has saffron, too.']);
    expect((await found(theirs!)).map(({ text }) => text)).toEqual([SECRET]);
  });

  it('a file sent to their agent leaves nothing', async () => {
    const answer = await api
      .as(ours!.token)
      .post(pathOf(theirs!.agentId))
      .field({ title: 'x', source_type: 'file' })
      .attach('file', Buffer.from('x'), 'x.txt');
    expect([answer.status, answer.body]).toEqual([404, { message: 'Agent not found.' }]);
  });

  it('an Idempotency-Key of theirs is not ours', async () => {
    const send = (who: Workspace) =>
      api
        .as(who.token)
        .post(pathOf(who.agentId))
        .set('Idempotency-Key', 'shared')
        .send({ title: 'x', source_type: 'text', content: who === ours ? 'ours' : 'theirs' });
    const [first, second] = [await send(theirs!), await send(ours!)];
    expect([first.body.data.content, second.body.data.content]).toEqual(['theirs', 'ours']);
  });
});
