import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { aToken, type Workspace } from '../support/factories.js';
import { SCOPES } from '../support/scopes.js';
import { Service } from '../support/service.js';

interface QueueOfApi {
  name: string;
  waiting: number;
  active: number;
  failed: number;
  oldest_seconds: number;
}

const service = Service.get();
let own: Workspace;

beforeAll(async () => {
  own = await service.account();
});
afterAll(() => service.close());

const queues = async (): Promise<QueueOfApi[]> =>
  (await service.as(own.token).get('/api/v1/queues').expect(200)).body.data as QueueOfApi[];

async function queuesOfMetrics(): Promise<string[]> {
  const metrics = await (await fetch(`${service.healthUrl('worker')}/metrics`)).text();
  return [...metrics.matchAll(/^trunkline_jobs\{queue="([\w-]+)",state="waiting"\}/gm)].map(([, name]) => String(name));
}

describe('the job queues', () => {
  it('are shown to operators, who see the same as in the metrics of the workers', async () => {
    const found = await queues();
    // The worker reads the states some seconds after its start.
    const named = await eventually(queuesOfMetrics, (names) => names.length > 0);
    expect(found.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
    for (const { name, waiting, active, oldest_seconds: oldest } of found)
      expect([name, waiting <= 2, active >= 0, oldest < 60]).toEqual([name, true, true, true]);
  });

  it('have a job at work while a unit is', async () => {
    // Scheduled every second.
    const found = await eventually(queues, (all) => all.some(({ active }) => active > 0));
    expect(found.length).toBeGreaterThan(10);
  });

  it('are not shown to tenants, because they tell the load of all accounts', async () => {
    const scopes = SCOPES.filter((scope) => scope !== 'account:write');
    const token = await aToken(service.pool, own.accountId, scopes);
    const { status, body } = await service.as(token).get('/api/v1/queues');
    expect([status, body]).toEqual([403, { message: 'The token lacks the scope account:write.' }]);
  });
});
