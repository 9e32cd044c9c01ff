import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CALL_LIST, callListCondition } from './call-list.repository.js';
import { DialersService } from './queue/dialers.service.js';
import { ListTotals } from '@app/database';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { aCall, aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { statementsOf } from '../../../test/support/statements-of.js';

let api: InProcessApi;

beforeAll(async () => {
  api = await InProcessApi.start();
});
afterAll(() => api.stop());

describe('the total of a list', () => {
  it('is counted once for all requests that arrive during a count, and contains what was committed before each', async () => {
    const totals = new ListTotals(api.pool);
    const one = await aWorkspace(api.pool);
    await aCall(api.pool, one, {});
    const total = () => totals.of(CALL_LIST, callListCondition(one.accountId, {}));
    const counted: Promise<{ count: number }>[] = [];
    const writer = await api.pool.connect();
    const sent = await statementsOf(api.pool, async () => {
      await writer.query('BEGIN');
      await writer.query('LOCK TABLE calls');
      counted.push(total());
      await aCall(writer, one, {});
      counted.push(total(), total(), total());
      await writer.query('COMMIT');
      await Promise.all(counted);
    });
    writer.release();
    const found = await Promise.all(counted);
    expect(found.map(({ count }) => count).slice(1)).toEqual([2, 2, 2]);
    expect(sent.filter(({ text }) => text.includes('AS capped')).length).toBe(2);
  });
});

const manyCalls = (workspace: Workspace, count: number) =>
  api.pool.query(
    `INSERT INTO calls (id, account_id, agent_id, number_id, to_number, from_number, agent_name, created_at, status)
     SELECT gen_random_uuid(), $1, $2, $3, '+1555' || (1000000 + n), '+15550001111', 'A', now() - n * interval '1 second',
       CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'completed' END
     FROM generate_series(1, $4::integer) AS n`,
    [workspace.accountId, workspace.agentId, workspace.numberId, count],
  );

describe('a long list of calls', () => {
  let big: Workspace;
  const get = (query: string) => api.as(big.token).get(`/api/v1/calls${query}`);

  beforeAll(async () => {
    big = await aWorkspace(api.pool);
    await manyCalls(big, 12_000);
    // Among the calls of others: PostgreSQL may read a whole table that belongs to one account.
    await manyCalls(await aWorkspace(api.pool), 36_000);
    await api.pool.query('VACUUM ANALYZE calls, phone_numbers');
  });

  it('is counted exactly up to 10,000 and estimated beyond', async () => {
    const some = await get('?status=failed');
    expect(some.body.meta).toMatchObject({ total: 1_200, last_page: 80 });
    expect(some.body.meta.total_is_estimate).toBeUndefined();
    const all = await get('?page=3');
    expect(all.body.meta.total_is_estimate).toBe(true);
    expect(all.body.meta.total).toBeGreaterThan(10_000);
    expect(all.body.meta.total).toBeLessThan(14_000);
    expect(all.body.data).toHaveLength(15);
  });

  it.each([
    ['from the year 0', 'date_from=0000-01-01'],
    ['from a moment before the year 0', 'date_from=0000-01-01T00:00:00%2B12:00'],
    ['to a moment after the year 9999', 'date_to=9999-12-31T23:59:59-12:00'],
    ['to a moment in the year 9999', 'date_to=9999-12-31&date_from=2020-01-01T00:00:00.123Z'],
  ])('is estimated %s', async (_, query) => {
    const { status, body } = await get(`?${query}`);
    expect([status, body.meta?.total_is_estimate, body.data?.length]).toEqual([200, true, 15]);
    expect(body.meta.total).toBeGreaterThan(10_000);
  });

  it('is read by page up to its last call', async () => {
    const last = await get('?page=120&per_page=100');
    expect(last.body.data).toHaveLength(100);
    expect(last.body.data.at(-1).to_number).toBe('+15551012000');
  });

  it.each([
    // 11,900 to 11,999 and no others.
    ['few', '510119', 11_900, false],
    ['more than are sorted', '15551', 1, true],
  ])('is searched for %s calls in its order, by page and by cursor', async (_, search, newest, isEstimate) => {
    const numbersOf = async (query: string) => {
      const { body } = await get(`?search=${search}&per_page=3${query}`);
      return { numbers: body.data.map((call: { to_number: string }) => Number(call.to_number.slice(5))), body };
    };
    const from = (n: number) => [0, 1, 2].map((offset) => 1_000_000 + newest + n + offset);
    const first = await numbersOf('');
    expect(first.numbers).toEqual(from(0));
    expect(first.body.meta.total_is_estimate ?? false).toBe(isEstimate);
    expect((await numbersOf('&page=2')).numbers).toEqual(from(3));
    const slice = await numbersOf('&pagination=cursor');
    expect(slice.numbers).toEqual(from(0));
    expect((await numbersOf(`&cursor=${slice.body.meta.next_cursor}`)).numbers).toEqual(from(3));
  });

  it.each([
    '',
    '?page=700',
    '?pagination=cursor',
    '?status=failed',
    '?direction=outbound',
    '?date_from=2026-01-01&date_to=2099-01-01',
    '?search=1011999',
    '?search=%2B15551011999',
    '?search=019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11',
    '?agent_id=AGENT',
    '?number_id=NUMBER',
    '?agent_id=AGENT&number_id=NUMBER&status=failed&direction=outbound&date_from=2026-01-01&search=101',
  ])('never reads the whole table: %s', async (query) => {
    const asked = query.replace('AGENT', String(big.agentId)).replace('NUMBER', String(big.numberId));
    const sent = await statementsOf(api.pool, async () => expect((await get(asked)).status).toBe(200));
    const statements = sent.filter(({ text }) => text.includes('FROM calls'));
    expect(statements.length).toBeGreaterThan(0);
    for (const { text, values } of statements) {
      const plan = await api.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(lines).not.toMatch(/Seq Scan on calls/);
    }
  });

  it('is not read by the sweep of lost calls, which every worker and dialer repeats', async () => {
    const sent = await statementsOf(api.pool, () => api.app.get(DialersService).endLostCalls());
    const statements = sent.filter(({ text }) => text.includes('FROM calls'));
    expect(statements.length).toBeGreaterThan(0);
    for (const { text, values } of statements) {
      const { rows } = await api.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE) ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).not.toMatch(/actual [^)]*rows=\d{4}|Rows Removed by Filter: \d{4}/);
    }
  });
});
