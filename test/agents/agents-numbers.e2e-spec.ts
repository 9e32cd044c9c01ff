import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anAgent, aNumber, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const api = Service.get();
let own: Workspace;
let other: Workspace;

beforeAll(async () => {
  [own, other] = [await api.account(), await api.account()];
});

afterAll(() => api.close());

const get = (path: string, token = own.token) => api.as(token).get(`/api/v1/${path}`);
const idsOf = (body: { data: { id: number }[] }) => body.data.map(({ id }) => id);

describe('the agents of an account', () => {
  it('are listed by name in pages, without their instructions', async () => {
    const webhook = JSON.stringify({ url: 'https://example.com/secret-path', method: 'POST' });
    const id = await anAgent(api.pool, own.accountId, {
      name: 'a first agent',
      instructions: 'Between us: never mention the cellar.',
      greeting: 'Good day.',
      active: false,
      post_call_webhook: webhook,
    });
    const { status, body } = await get('agents?per_page=1');
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        id,
        name: 'a first agent',
        provider: 'sandbox',
        active: false,
        greeting: 'Good day.',
        max_call_seconds: 600,
        ring_timeout_seconds: 60,
        transfer_enabled: false,
        version: 1,
        created_at: expect.stringMatching(/\+00:00$/),
        updated_at: expect.stringMatching(/\+00:00$/),
      },
    ]);
    expect(body.meta).toMatchObject({ current_page: 1, last_page: 2, total: 2 });
    expect(body.links.next).toMatch(/\/api\/v1\/agents\?per_page=1&page=2$/);
    expect(idsOf((await get('agents?per_page=1&page=2')).body)).toEqual([own.agentId]);
    expect((await get('agents?per_page=101')).status).toBe(422);
  });

  it('are invisible to other accounts', async () =>
    expect(idsOf((await get('agents', other.token)).body)).toEqual([other.agentId]));
});

describe('the phone numbers of an account', () => {
  it('are listed by name in pages, with the agent that answers', async () => {
    const id = await aNumber(api.pool, own.accountId, {
      name: 'a hotline',
      e164: '+15557654321',
      agent_id: own.agentId,
    });
    const { status, body } = await get('numbers?per_page=1');
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { id, name: 'a hotline', e164: '+15557654321', active: true, agent_id: own.agentId },
    ]);
    expect(body.meta).toMatchObject({ current_page: 1, last_page: 2, total: 2 });
    expect((await get('numbers?page=0')).status).toBe(422);
  });

  it('are invisible to other accounts', async () =>
    expect(idsOf((await get('numbers', other.token)).body)).toEqual([other.numberId]));
});
