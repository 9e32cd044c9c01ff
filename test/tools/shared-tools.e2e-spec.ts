import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anAgent, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';
import { aTool, errorsOf, type MadeTool } from '../support/tools-environment.js';

const service = Service.get();
let own: Workspace;
let other: Workspace;

beforeAll(async () => {
  [own, other] = await Promise.all([service.account(), service.account()]);
});
afterAll(() => service.close());

const tools = (agentId: number) => `/api/v1/agents/${agentId}/tools`;
const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object, token = own.token) =>
  service.as(token)[method](path).send(body);
const made = async (agentId: number, body: object): Promise<MadeTool> => {
  const answer = await call('post', tools(agentId), body);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body.data as MadeTool;
};
const names = async (agentId: number): Promise<string[]> =>
  (await call('get', tools(agentId)).expect(200)).body.data.map(({ name }: { name: string }) => name);
/** In the order of their ids. */
const agents = async (count: number): Promise<number[]> => {
  const made = await Promise.all(Array.from({ length: count }, () => anAgent(service.pool, own.accountId)));
  return made.toSorted((a, b) => a - b);
};

describe('a tool that several agents use', () => {
  it('is listed, read and invoked by each, and changed and deleted by its owner alone', async () => {
    const [owner, second, third] = (await agents(3)) as [number, number, number];
    const tool = await made(owner, { ...aTool({ name: 'find_order' }), agent_ids: [second] });
    expect([tool['agent_id'], tool['agent_ids']]).toEqual([owner, [owner, second]]);
    for (const id of [owner, second]) {
      expect(await names(id)).toEqual(['find_order']);
      expect((await call('get', `${tools(id)}/${tool.id}`)).body.data).toEqual(tool);
      expect((await call('post', `${tools(id)}/${tool.id}/invoke`, {})).status).toBe(200);
    }
    expect(await names(third)).toEqual([]);
    for (const method of ['get', 'patch', 'delete'] as const)
      expect(
        (await call(method, `${tools(third)}/${tool.id}`, method === 'patch' ? { is_active: false } : undefined))
          .status,
      ).toBe(404);
    expect((await call('patch', `${tools(second)}/${tool.id}`, { is_active: false })).status).toBe(404);
    expect((await call('delete', `${tools(second)}/${tool.id}`)).status).toBe(404);
    const moved = await call('patch', `${tools(owner)}/${tool.id}`, { agent_ids: [third], name: 'find_orders' });
    expect(moved.body.data).toMatchObject({ agent_ids: [owner, third], name: 'find_orders' });
    expect([await names(second), await names(third)]).toEqual([[], ['find_orders']]);
    const alone = await call('patch', `${tools(owner)}/${tool.id}`, { agent_ids: [] });
    expect(alone.body.data.agent_ids).toEqual([owner]);
    await call('delete', `${tools(owner)}/${tool.id}`).expect(200);
  });

  it('outlives its owner, and dies with the last agent', async () => {
    const [owner, heir] = (await agents(2)) as [number, number];
    const tool = await made(owner, { ...aTool(), agent_ids: [heir] });
    const unshared = await made(owner, aTool());
    await call('delete', `/api/v1/agents/${owner}`).expect(200);
    expect((await call('get', `${tools(heir)}/${tool.id}`)).body.data).toMatchObject({
      agent_id: heir,
      agent_ids: [heir],
    });
    const left = await service.pool.query(`SELECT id FROM tools WHERE id IN (${tool.id}, ${unshared.id})`);
    expect(left.rows).toEqual([{ id: tool.id }]);
    await call('delete', `/api/v1/agents/${heir}`).expect(200);
    const gone = await service.pool.query(`SELECT id FROM tools WHERE id = ${tool.id}`);
    expect(gone.rows).toEqual([]);
  });

  it('has a name that is unique for each of its agents, and agents of its account', async () => {
    const [owner, second] = (await agents(2)) as [number, number];
    await made(second, aTool({ name: 'taken' }));
    const refused = await call('post', tools(owner), { ...aTool({ name: 'taken' }), agent_ids: [owner, second] });
    expect(errorsOf(refused)).toEqual({ 'agent_ids.1': 'The agent has another tool named taken.' });
    const tool = await made(owner, { ...aTool({ name: 'free' }), agent_ids: [second] });
    expect(errorsOf(await call('patch', `${tools(owner)}/${tool.id}`, { name: 'taken' }))).toEqual({
      name: 'The agent has another tool named taken.',
    });
    expect(errorsOf(await call('post', tools(second), aTool({ name: 'free' })))).toEqual({
      name: 'The agent has another tool named free.',
    });
    for (const wrong of [other.agentId, 999_999_999]) {
      const answer = await call('patch', `${tools(owner)}/${tool.id}`, { agent_ids: [second, wrong] });
      expect(Object.keys(errorsOf(answer))).toEqual(['agent_ids.1']);
    }
    expect((await call('get', `${tools(owner)}/${tool.id}`, undefined, other.token)).status).toBe(404);
    expect((await call('get', tools(owner))).body.data[0].agent_ids).toEqual([owner, second]);
  });

  it('is used by a conversation of the other agent', async () => {
    const [owner] = (await agents(1)) as [number];
    const rules = [
      { on: { text: 'order' }, call: { tool: 'find_order' } },
      { on: { tool: 'find_order' }, say: 'It is {{result.state}}.' },
    ];
    const user = await anAgent(service.pool, own.accountId, {
      provider_options: JSON.stringify({ script: { rules } }),
    });
    await made(owner, { ...aTool({ name: 'find_order' }), agent_ids: [user] });
    const played = await call('post', `/api/v1/agents/${user}/simulations`, {
      mocks: { find_order: { result: { state: 'sent' } } },
      steps: [{ says: 'My order?', expects: 'It is sent.' }],
    });
    expect(played.body.data).toMatchObject({ passed: true });
  });
});
