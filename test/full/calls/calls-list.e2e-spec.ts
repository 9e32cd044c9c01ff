import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CALL_LIST, callListCondition, DialersService } from '@app/calls';
import { newId } from '@app/common';
import { ListTotals } from '@app/database';
import { InProcessApi } from '../../support/in-process-api.js';
import { aCall, aNumber, anAgent, aWorkspace, type Workspace } from '../../support/factories.js';
import { statementsOf } from '../../support/statements-of.js';

let api: InProcessApi;
let own: Workspace;
let otherAgent: number;
let otherNumber: number;
/** Oldest first. */
const ids: string[] = [];

const day = (n: number, clock = '12:00:00Z') => new Date(`2026-03-0${n}T${clock}`);

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
  otherAgent = await anAgent(api.pool, own.accountId);
  otherNumber = await aNumber(api.pool, own.accountId, { e164: '+14155550100' });
  const rows: Record<string, unknown>[] = [
    { status: 'pending', to_number: '+15550001111', created_at: day(1) },
    {
      status: 'ringing',
      to_number: '+15550002222',
      from_number: '+15558887777',
      created_at: day(2),
      direction: 'inbound',
    },
    { status: 'in_progress', to_number: 'sip:alice_b@example.com', created_at: day(3), agent_id: otherAgent },
    { status: 'completed', to_number: 'sip:alicexb@example.com', created_at: day(4, '00:00:00Z') },
    { status: 'failed', to_number: '+4930901820', created_at: day(4, '23:59:59.999Z'), number_id: otherNumber },
    { status: 'busy', to_number: '+15550001111', created_at: day(5) },
    { status: 'no_answer', to_number: 'sip:100%@example.com', created_at: day(6) },
    { status: 'cancelled', to_number: '+15550003333', created_at: day(7) },
  ];
  for (const row of rows) ids.push(await aCall(api.pool, own, row));
  const foreign = await aWorkspace(api.pool);
  await aCall(api.pool, foreign, { to_number: '+15550001111', created_at: day(4) });
});
afterAll(() => api.stop());

const list = (query: string) => api.as(own.token).get(`/api/v1/calls${query}`);
const indexes = (body: { data: { call_id: string }[] }) => body.data.map((call) => ids.indexOf(call.call_id));

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

describe('the list of calls', () => {
  it('returns the newest first, in the envelope of Laravel', async () => {
    const { status, body } = await list('');
    expect(status).toBe(200);
    expect(indexes(body)).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    const path = `http://127.0.0.1:${new URL(body.meta.path).port}/api/v1/calls`;
    expect(body.links).toEqual({ first: `${path}?page=1`, last: `${path}?page=1`, prev: null, next: null });
    expect(body.meta).toEqual({ current_page: 1, from: 1, last_page: 1, path, per_page: 15, to: 8, total: 8 });
  });

  it.each([
    ['?status=in-progress', [2]],
    ['?status=in_progress', [2]],
    ['?status=no-answer', [6]],
    ['?status=no_answer', [6]],
    ['?status=canceled', [7]],
    ['?status=cancelled', [7]],
    ['?status=busy', [5]],
    ['?status=completed', [3]],
    ['?status=', [7, 6, 5, 4, 3, 2, 1, 0]],
    ['?direction=inbound', [1]],
    ['?direction=outbound&status=ringing', []],
    ['?date_from=2026-03-05', [7, 6, 5]],
    ['?date_to=2026-03-04', [4, 3, 2, 1, 0]],
    ['?date_from=2026-03-04&date_to=2026-03-04', [4, 3]],
    ['?date_from=2026-03-04T00:00:00Z&date_to=2026-03-04T12:00:00Z', [3]],
    ['?date_from=2026-03-04T01:00:00%2B01:00&date_to=2026-03-04T12:00:00', [3]],
    ['?date_from=2026-03-04T01:00:00+01:00&date_to=2026-03-04', [4, 3]],
    ['?date_from=2026-03-09&date_to=2026-03-01', []],
    ['?search=%2B15550001111', [5, 0]],
    ['?search=%2B1 (555) 000-1111', [5, 0]],
    ['?search=0001111', [5, 0]],
    ['?search=50003', [7]],
    ['?search=%2B15558887777', [1]],
    ['?search=888777', [1]],
    ['?search=alice_b', [2]],
    ['?search=ALICE', [3, 2]],
    ['?search=100%25', [6]],
    ['?search=%25', [6]],
    ['?search=4155550100', [4]],
    ['?search=%2B14155550100', [4]],
    ['?search= alice_b%20', [2]],
    ['?search=%20', [7, 6, 5, 4, 3, 2, 1, 0]],
    ["?search=' OR 1=1 --", []],
    ['?search=zzz', []],
    [`?search=${newId()}`, []],
    ['?agent_id=999999', []],
    ['?unknown=1', [7, 6, 5, 4, 3, 2, 1, 0]],
  ])('%s', async (query, expected) => {
    const { status, body } = await list(query);
    expect(status).toBe(200);
    expect(indexes(body)).toEqual(expected);
    expect(body.meta.total).toBe(expected.length);
  });

  it('is filtered by agent, by number and by call id', async () => {
    expect(indexes((await list(`?agent_id=${otherAgent}`)).body)).toEqual([2]);
    expect(indexes((await list(`?number_id=${otherNumber}&agent_id=${own.agentId}`)).body)).toEqual([4]);
    expect(indexes((await list(`?search=${ids[3]}`)).body)).toEqual([3]);
    expect(indexes((await list(`?search=${ids[3]?.toUpperCase()}`)).body)).toEqual([3]);
    expect(indexes((await list(`?search=${ids[3]}%0A`)).body)).toEqual([3]);
  });

  it('is read by page', async () => {
    const { body } = await list('?per_page=3&page=2&status=&direction=outbound');
    expect(indexes(body)).toEqual([4, 3, 2]);
    expect(body.meta).toMatchObject({ current_page: 2, from: 4, last_page: 3, per_page: 3, to: 6, total: 7 });
    expect(body.links.next).toBe(`${body.meta.path}?per_page=3&page=3&status=&direction=outbound`);
    expect(body.links.prev).toContain('page=1');
    const last = await api.as(own.token).get(new URL(body.links.last).pathname + new URL(body.links.last).search);
    expect(indexes(last.body)).toEqual([0]);
    expect(last.body.links.next).toBeNull();
  });

  it('has links that keep the whole query, even after a second question mark', async () => {
    const { body } = await list('?search=a?b&per_page=1&status=busy');
    expect(body.links.first).toBe(`${body.meta.path}?search=a%3Fb&per_page=1&status=busy&page=1`);
    expect(body.meta.path).not.toContain('?');
  });

  it('is empty beyond its end', async () => {
    const { status, body } = await list('?page=99');
    expect(status).toBe(200);
    expect(body.data).toEqual([]);
    expect(body.meta).toMatchObject({ current_page: 99, from: null, to: null, last_page: 1, total: 8 });
  });

  it('is read by cursor, forwards and backwards, with every call exactly once', async () => {
    const pages: number[][] = [];
    let { body } = await list('?pagination=cursor&per_page=3&direction=outbound');
    expect(body.links.prev).toBeNull();
    for (;;) {
      pages.push(indexes(body));
      if (!body.links.next) break;
      const next = new URL(body.links.next);
      ({ body } = await api.as(own.token).get(next.pathname + next.search));
    }
    expect(pages).toEqual([[7, 6, 5], [4, 3, 2], [0]]);
    expect(body.meta).toEqual({
      path: expect.any(String),
      per_page: 3,
      next_cursor: null,
      prev_cursor: expect.any(String),
    });
    const back = await list(`?per_page=3&direction=outbound&cursor=${body.meta.prev_cursor}`);
    expect(indexes(back.body)).toEqual([4, 3, 2]);
    const first = await list(`?per_page=3&direction=outbound&cursor=${back.body.meta.prev_cursor}`);
    expect(indexes(first.body)).toEqual([7, 6, 5]);
    expect(first.body.meta.prev_cursor).toBeNull();
  });

  it.each([
    ['per_page=0', 'per_page', 'The per page field must be between 1 and 100.'],
    ['per_page=101', 'per_page', 'The per page field must be between 1 and 100.'],
    ['per_page=-1', 'per_page', 'The per page field must be between 1 and 100.'],
    ['per_page=abc', 'per_page', 'The per page field must be an integer.'],
    ['per_page=1.5', 'per_page', 'The per page field must be an integer.'],
    ['per_page=5&per_page=6', 'per_page', 'The per page field must be an integer.'],
    ['page=0', 'page', 'The page field must be at least 1.'],
    ['page=x', 'page', 'The page field must be an integer.'],
    ['page=99999999999', 'page', /between/],
    ['status=done', 'status', /selected status is invalid/],
    ['status=pending&status=ringing', 'status', /selected status is invalid/],
    ['direction=up', 'direction', /selected direction is invalid/],
    ['agent_id=x', 'agent_id', 'The agent id field must be an integer.'],
    ['agent_id=0', 'agent_id', 'The selected agent id is invalid.'],
    ['number_id=99999999999', 'number_id', 'The selected number id is invalid.'],
    ['date_from=yesterday', 'date_from', /ISO 8601/],
    ['date_to=2026-02-30', 'date_to', /ISO 8601/],
    [`search=${'x'.repeat(256)}`, 'search', /greater than 255/],
    ['search=a%00b', 'search', /null/],
    ['cursor=abc', 'cursor', /cursor of an earlier response/],
    ['pagination=all', 'pagination', /selected pagination is invalid/],
  ])('%s is rejected', async (query, field, sentence) => {
    const { status, body } = await list(`?${query}`);
    expect(status).toBe(422);
    expect(Object.keys(body.errors)).toEqual([field]);
    expect(body.errors[field]).toHaveLength(1);
    expect(body.errors[field][0]).toMatch(sentence);
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
