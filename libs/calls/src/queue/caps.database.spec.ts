import { SpendReservationsService } from '../billing/spend-reservations.service.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallClaimsService } from './call-claims.service.js';
import { InProcessApi } from '../../../../test/support/in-process-api.js';
import { aCall, aWorkspace, type Workspace } from '../../../../test/support/factories.js';

let api: InProcessApi;

beforeAll(async () => {
  api = await InProcessApi.start({ DATABASE_POOL: '20' });
  await api.pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('d', now() + interval '1 hour')`);
});
afterAll(() => api.stop());

const create = (own: Workspace, to_number: string) =>
  api
    .as(own.token)
    .post('/api/v1/calls')
    .send({ to_number, agent_id: own.agentId, number_id: own.numberId, trunk_id: own.trunkId });
const waitingOf = async ({ accountId }: Workspace): Promise<number> => {
  const text = 'SELECT count(*)::integer AS n FROM calls WHERE account_id = $1';
  return (await api.pool.query<{ n: number }>(text, [accountId])).rows[0]!.n;
};

describe('a hundred concurrent requests', () => {
  it('queue no more calls than the account may queue', async () => {
    const own = await aWorkspace(api.pool, { queued_calls: 40 });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => create(own, `+1202555${1_000 + n}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(40);
    const full = answers.find(({ status }) => status === 422);
    expect(full?.body.errors).toEqual({ to_number: [expect.stringContaining('40 may wait')] });
    expect(await waitingOf(own)).toBe(40);
  });

  it.each([
    ['of calls that cost 500 micro-USD a second', 500, 40],
    ['of calls that cost almost nothing', 0.5, 100],
  ])('cannot exceed the daily budget, with reservations %s', async (_name, microsPerSecond, most) => {
    const own = await aWorkspace(api.pool, { daily_spend_micros: 12_000_000 });
    const calls = await Promise.all(Array.from({ length: 100 }, () => aCall(api.pool, own, { owner: 'd' })));
    const plan = { accountId: own.accountId, microsPerSecond, longestSeconds: 600 };
    const seconds = await Promise.all(
      calls.map((id) => api.app.get(SpendReservationsService).reserve({ id, owner: 'd' }, plan)),
    );
    expect(seconds.filter((one) => one === 600)).toHaveLength(most);
    expect(seconds.filter((one) => one === undefined)).toHaveLength(100 - most);
    const text = 'SELECT sum(reserved_micros)::bigint AS micros FROM calls WHERE account_id = $1';
    const { rows } = await api.pool.query<{ micros: string }>(text, [own.accountId]);
    expect(Number(rows[0]!.micros)).toBeLessThanOrEqual(12_000_000);
  });

  it('give the last call the seconds that the budget still pays for, and no call fewer than 15', async () => {
    const own = await aWorkspace(api.pool, { daily_spend_micros: 350_000 });
    const plan = { accountId: own.accountId, microsPerSecond: 500, longestSeconds: 600 };
    const [first, second] = await Promise.all([
      aCall(api.pool, own, { owner: 'd' }),
      aCall(api.pool, own, { owner: 'd' }),
    ]);
    const reserve = (id: string) => api.app.get(SpendReservationsService).reserve({ id, owner: 'd' }, plan);
    expect(await reserve(first)).toBe(600);
    expect(await reserve(second)).toBe(100);
    const third = await aCall(api.pool, own, { owner: 'd' });
    expect(await reserve(third)).toBeUndefined();
    await api.pool.query(`UPDATE calls SET status = 'completed', ended_at = now() WHERE id = $1`, [first]);
    await api.pool.query(
      `INSERT INTO daily_spend (account_id, day, micros) VALUES
         ($1, (now() AT TIME ZONE 'UTC')::date, 100000), ($1, (now() AT TIME ZONE 'UTC')::date - 1, 350000)`,
      [own.accountId],
    );
    // What the first one cost counts instead of what it might have cost, and yesterday's money does not.
    expect(await reserve(third)).toBe(400);
    await api.pool.query(`UPDATE daily_spend SET micros = 299000 WHERE account_id = $1`, [own.accountId]);
    expect(await reserve(third)).toBeUndefined();
    await api.pool.query(`UPDATE daily_spend SET micros = 349000 WHERE account_id = $1`, [own.accountId]);
    expect(await reserve(third)).toBe(0);
  });
});

it('a web call belongs to one of the dialers that claim it at once', async () => {
  const own = await aWorkspace(api.pool);
  await api.pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('e', now() + interval '1 hour')`);
  const claims = api.app.get(CallClaimsService);
  for (let round = 0; round < 20; round += 1) {
    const { body } = await api.as(own.token).post('/api/v1/web-calls').send({ agent_id: own.agentId }).expect(201);
    const id = body.data.call_id as string;
    const owners = ['d', 'e'];
    const results = await Promise.all(owners.map((owner) => claims.connectWeb({ id, owner })));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['gone', 'taken']);
    const { rows } = await api.pool.query<{ owner: string }>('SELECT owner FROM calls WHERE id = $1', [id]);
    expect(rows[0]!.owner).toBe(owners[results.findIndex(({ kind }) => kind === 'taken')]);
    await api.pool.query(`UPDATE calls SET status = 'completed', ended_at = now() WHERE id = $1`, [id]);
  }
});
