import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const api = Service.get();
let [theirs, ours]: Workspace[] = [];
const SECRET = 'The recipe needs saffron.';
const pathOf = (agentId: number) => `/api/v1/agents/${agentId}/knowledge-bases`;

beforeAll(async () => {
  [theirs, ours] = [await api.account(), await api.account()];
  const body = { title: 'Recipe', source_type: 'text', content: SECRET };
  await api.as(theirs.token).post(pathOf(theirs.agentId)).send(body);
});
afterAll(() => api.close());

describe('the knowledge of another account', () => {
  it('is never found by a search, even for identical texts', async () => {
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

  it('receives no file uploaded to its agent', async () => {
    const answer = await api
      .as(ours!.token)
      .post(pathOf(theirs!.agentId))
      .field({ title: 'x', source_type: 'file' })
      .attach('file', Buffer.from('x'), 'x.txt');
    expect([answer.status, answer.body]).toEqual([404, { message: 'Agent not found.' }]);
  });

  it('does not share Idempotency-Keys', async () => {
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
