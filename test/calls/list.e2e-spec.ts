import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aCall, aNumber, anAgent, aToken, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const service = Service.get();
let own: Workspace;
let otherAgent: number;
let otherNumber: number;
/** Oldest first. */
const ids: string[] = [];

const day = (n: number, clock = '12:00:00Z') => new Date(`2026-03-0${n}T${clock}`);

/** Calls of other days and with other outcomes, which no request creates. */
beforeAll(async () => {
  own = await service.account();
  otherAgent = await anAgent(service.pool, own.accountId);
  otherNumber = await aNumber(service.pool, own.accountId, { e164: '+14155550100' });
  const ended = (row: object) => ({ ended_at: new Date(), ...row });
  const rows: Record<string, unknown>[] = [
    ended({ status: 'completed', to_number: '+15550001111', created_at: day(1) }),
    ended({
      status: 'failed',
      to_number: '+15550002222',
      from_number: '+15558887777',
      created_at: day(2),
      direction: 'inbound',
    }),
    ended({ status: 'cancelled', to_number: 'sip:alice_b@example.com', created_at: day(3), agent_id: otherAgent }),
    ended({ status: 'completed', to_number: 'sip:alicexb@example.com', created_at: day(4, '00:00:00Z') }),
    ended({ status: 'failed', to_number: '+4930901820', created_at: day(4, '23:59:59.999Z'), number_id: otherNumber }),
    ended({ status: 'busy', to_number: '+15550001111', created_at: day(5) }),
    ended({ status: 'no_answer', to_number: 'sip:100%@example.com', created_at: day(6) }),
    ended({ status: 'cancelled', to_number: '+15550003333', created_at: day(7) }),
  ];
  for (const row of rows) ids.push(await aCall(service.pool, own, row));
  const foreign = await service.account();
  await aCall(service.pool, foreign, ended({ to_number: '+15550001111', created_at: day(4), status: 'completed' }));
});
afterAll(() => service.close());

const list = (query: string) => service.as(own.token).get(`/api/v1/calls${query}`);
const indexes = (body: { data: { call_id: string }[] }) => body.data.map((call) => ids.indexOf(call.call_id));

describe('the list of calls', () => {
  it('has the newest first, with links and totals, and only those of the account', async () => {
    const { status, body } = await list('');
    expect([status, indexes(body)]).toEqual([200, [7, 6, 5, 4, 3, 2, 1, 0]]);
    expect(body.meta).toMatchObject({ current_page: 1, from: 1, last_page: 1, per_page: 15, to: 8, total: 8 });
    expect(body.links).toMatchObject({ prev: null, next: null });
  });

  it.each([
    ['?status=no-answer', [6]],
    ['?status=no_answer', [6]],
    ['?status=canceled', [7, 2]],
    ['?direction=inbound', [1]],
    ['?direction=outbound&status=failed', [4]],
    ['?date_from=2026-03-05', [7, 6, 5]],
    ['?date_from=2026-03-04&date_to=2026-03-04', [4, 3]],
    ['?date_from=2026-03-04T01:00:00%2B01:00&date_to=2026-03-04T12:00:00', [3]],
    ['?search=%2B1 (555) 000-1111', [5, 0]],
    ['?search=0001111', [5, 0]],
    ['?search=888777', [1]],
    ['?search=alice_b', [2]],
    ['?search=ALICE', [3, 2]],
    ['?search=100%25', [6]],
    ['?search=4155550100', [4]],
    ["?search=' OR 1=1 --", []],
    ['?status=&search=%20', [7, 6, 5, 4, 3, 2, 1, 0]],
    ['?date_from=2026-03-09&date_to=2026-03-01', []],
  ])('%s', async (query, expected) => {
    const { body } = await list(query);
    expect([indexes(body), body.meta.total]).toEqual([expected, expected.length]);
  });

  it('is filtered by agent, number and id', async () => {
    expect(indexes((await list(`?agent_id=${otherAgent}`)).body)).toEqual([2]);
    expect(indexes((await list(`?number_id=${otherNumber}`)).body)).toEqual([4]);
    for (const id of [ids[3], ids[3]?.toUpperCase()]) expect(indexes((await list(`?search=${id}`)).body)).toEqual([3]);
  });

  it.each([
    ['pages', 'per_page=3'],
    ['cursors', 'pagination=cursor&per_page=3'],
  ])('read by %s has every call exactly once, forwards and backwards', async (_, query) => {
    const follow = async (direction: 'next' | 'prev', start: string): Promise<number[][]> => {
      const pages: number[][] = [];
      for (let url: string | null = start; url !== null;) {
        const { status, body } = await service.as(own.token).get(url);
        expect(status).toBe(200);
        pages.push(indexes(body));
        const link: string | null = body.links[direction];
        if (link === null) last = url;
        url = link && new URL(link).pathname + new URL(link).search;
      }
      return pages;
    };
    let last = '';
    const pages = [[7, 6, 5], [4, 3, 2], [0]];
    expect(await follow('next', `/api/v1/calls?${query}&direction=outbound`)).toEqual(pages);
    expect(await follow('prev', last)).toEqual(pages.toReversed());
  });

  it('has links that keep the whole query, and is empty beyond its end', async () => {
    const { body } = await list('?search=a?b&per_page=1&status=busy');
    expect(body.links.first).toBe(`${body.meta.path}?search=a%3Fb&per_page=1&status=busy&page=1`);
    const beyond = await list('?page=99');
    expect([beyond.status, beyond.body.data]).toEqual([200, []]);
    expect(beyond.body.meta).toMatchObject({ current_page: 99, from: null, to: null, last_page: 1, total: 8 });
  });

  it('read by cursor neither skips nor repeats a call when new ones arrive meanwhile', async () => {
    const first = await list('?pagination=cursor&per_page=4');
    await aCall(service.pool, own, {
      status: 'completed',
      ended_at: new Date(),
      direction: 'inbound',
      to_number: 'sip:new@example.com',
    });
    const second = await list(`?per_page=4&cursor=${first.body.meta.next_cursor}`);
    expect([...indexes(first.body), ...indexes(second.body)]).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it.each([
    ['per_page=101', 'per_page'],
    ['page=0', 'page'],
    ['status=done', 'status'],
    ['agent_id=x', 'agent_id'],
    ['date_to=2026-02-30', 'date_to'],
    ['cursor=abc', 'cursor'],
  ])('%s is refused on the field', async (query, field) => {
    const { status, body } = await list(`?${query}`);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });
});

describe('a call', () => {
  it('is found only by its account, with the scope calls:read', async () => {
    const path = `/api/v1/calls/${ids[0]}`;
    expect((await service.as(own.token).get(path)).body.data).toMatchObject({ call_id: ids[0], status: 'completed' });
    const stranger = await service.account();
    for (const one of [path, `${path}/transcript`, `${path}/diagnostics`, `${path}/commands`, `${path}/events`])
      expect((await service.as(stranger.token).get(one)).status).toBe(404);
    expect((await service.as(stranger.token).delete(path)).status).toBe(404);
    const [reader, none] = await Promise.all([
      aToken(service.pool, own.accountId, ['calls:read']),
      aToken(service.pool, own.accountId, ['agents:read']),
    ]);
    expect((await service.as(reader).get(path)).status).toBe(200);
    expect((await service.as(reader).delete(path)).status).toBe(403);
    expect((await service.as(none).get(path)).status).toBe(403);
    expect((await service.as(none).get('/api/v1/calls')).status).toBe(403);
    expect((await service.as().get(path)).status).toBe(401);
  });

  it('that was not dialled has diagnostics without legs', async () => {
    const { body } = await list(`/${ids[7]}/diagnostics`);
    expect(body.data).toMatchObject({ call_id: ids[7], legs: [], left_out: 0 });
  });

  it.each(['completed', 'failed', 'busy', 'no_answer', 'cancelled'])('that is %s can be deleted', async (status) => {
    const { accountId, ...workspace } = await service.account();
    const id = await aCall(service.pool, { accountId, ...workspace }, { status, ended_at: new Date() });
    const me = service.as(workspace.token);
    expect((await me.delete(`/api/v1/calls/${id}`)).body).toEqual({ message: 'Call deleted successfully.' });
    expect((await me.get(`/api/v1/calls/${id}`)).status).toBe(404);
  });

  it('with an id that is not a UUID is not found', async () => {
    expect((await list('/4711')).status).toBe(404);
  });
});
