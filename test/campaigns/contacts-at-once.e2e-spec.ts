import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestApi } from '../support/app.js';
import { aWorkspace, type Workspace } from '../support/factories.js';

let api: TestApi;
let own: Workspace;

beforeAll(async () => {
  api = await TestApi.start({ DATABASE_POOL: '4' });
  own = await aWorkspace(api.pool);
});
afterAll(() => api?.stop());

it('more requests for the contacts of a campaign than the api has database connections are all answered', async () => {
  const body = { name: 'spring', agent_id: own.agentId, number_ids: [own.numberId] };
  const created = await api.as(own.token).post('/api/v1/campaigns').send(body).expect(201);
  const path = `/api/v1/campaigns/${(created.body as { data: { id: number } }).data.id}/contacts`;
  const statuses = await Promise.all(
    Array.from({ length: 16 }, async (_, n) => {
      const contacts = [{ to_number: `+1555010${String(1_000 + n)}` }];
      return (await api.as(own.token).post(path).send({ contacts })).status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([201]));
  const { body: list } = await api.as(own.token).get(path).expect(200);
  expect((list as { data: unknown[] }).data).toHaveLength(15);
});
