import { Encryption } from '@app/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { AgentGone, CallCreationRepository, type NewCalls } from './call-creation.repository.js';
import { newCallRows, newCalls } from './call-creation.service.js';
import { REQUESTED_DEFAULTS } from './call.entity.js';
import { settingsByVersion } from './domain/agent-version.js';

let api: InProcessApi;
let calls: CallCreationRepository;
let own: Workspace;
let other: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  calls = api.app.get(CallCreationRepository);
  [own, other] = [await aWorkspace(api.pool), await aWorkspace(api.pool)];
});
afterAll(() => api.stop());

/** A request for one call, as it was checked. */
async function checkedCall({ accountId, agentId, numberId }: Workspace): Promise<NewCalls> {
  const command = {
    destinations: [{ kind: 'sip' as const, address: 'sip:answer@sip.example.com' }],
    agentId,
    numberId,
    columns: { ...REQUESTED_DEFAULTS, metadata: { order: 'Ä-1', amounts: [1.5, null] }, knowledge_base_ids: [3, 1] },
    overrides: { postCallWebhook: {}, callStatusWebhook: { url: 'https://example.com/hook' }, transfer: {} },
  };
  const found = (await calls.references(accountId, command))!;
  const pinned = settingsByVersion(found, command.overrides, api.app.get(Encryption));
  return newCalls(newCallRows(accountId, command, found, pinned));
}

const idOf = ({ rows }: NewCalls): string => rows[0]!.id;

const stored = async (created: readonly NewCalls[]): Promise<{ id: string; webhooks: number }[]> => {
  const text = `SELECT c.id, (SELECT count(*)::integer FROM webhook_deliveries d WHERE d.call_id = c.id) AS webhooks
    FROM calls c WHERE c.id = ANY ($1::uuid[])`;
  return (await api.pool.query<{ id: string; webhooks: number }>(text, [created.map(idOf)])).rows;
};

const newKey = () => ({ key: randomUUID(), hash: createHash('sha256').update('body').digest() });

describe('the calls of concurrent requests', () => {
  it('are written as they were asked for, with their webhooks', async () => {
    const asked = await Promise.all([own, other, own, other].map(checkedCall));
    expect(await Promise.all(asked.map((one) => calls.create(one)))).toEqual([true, true, true, true]);
    expect((await stored(asked)).map(({ webhooks }) => webhooks)).toEqual([1, 1, 1, 1]);
    const { rows } = await api.pool.query('SELECT metadata, knowledge_base_ids, record FROM calls WHERE id = $1', [
      idOf(asked[2]!),
    ]);
    expect(rows).toEqual([
      { metadata: { order: 'Ä-1', amounts: [1.5, null] }, knowledge_base_ids: [3, 1], record: true },
    ]);
  });

  it('are created without those of a request that fails', async () => {
    const gone = await aWorkspace(api.pool);
    const asked = await Promise.all([own, gone, other].map(checkedCall));
    await api.pool.query('UPDATE agents SET active = false WHERE id = $1', [gone.agentId]);
    const [first, failed, last] = await Promise.allSettled(asked.map((one) => calls.create(one)));
    expect([first, last]).toEqual(Array(2).fill({ status: 'fulfilled', value: true }));
    expect(failed).toEqual({ status: 'rejected', reason: expect.any(AgentGone) });
    expect((await stored(asked)).map(({ id }) => id).toSorted()).toEqual([idOf(asked[0]!), idOf(asked[2]!)].toSorted());
  });

  it('are created once for a key, also when both requests with it are written together', async () => {
    const asked = await Promise.all([own, own, other].map(checkedCall));
    const key = newKey();
    const created = await Promise.all(asked.map((one) => calls.create(one, key)));
    expect(created[0]).not.toBe(created[1]);
    expect(created[2]).toBe(true);
    expect(await stored(asked)).toHaveLength(2);
    const late = await checkedCall(own);
    expect(await Promise.all([calls.create(late, key), calls.create(await checkedCall(other), newKey())])).toEqual([
      false,
      true,
    ]);
    expect(await stored([late])).toEqual([]);
  });
});
