import { AnalyticsCountingService } from '@app/analytics';
import { CallRetentionService } from '@app/calls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertCall, type MadeCall, madeCall } from '../../support/analytics-calls.js';
import { InProcessApi } from '../../support/in-process-api.js';
import { aWorkspace, type Workspace } from '../../support/factories.js';
import { SeededRandom } from '../../support/seeded-random.js';

const random = new SeededRandom('transcripts');
const calls: MadeCall[] = [];

let api: InProcessApi;
let own: Workspace;
let other: Workspace;

const service = <T>(type: new (...args: never[]) => T): T => api.app.get(type, { strict: false });

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
  other = await aWorkspace(api.pool);
  for (const { accountId, agentId, numberId, trunkId } of [own, other]) {
    const choices = { accountId, agents: [agentId], numbers: [numberId], trunks: [trunkId] };
    for (let made = 0; made < 30; made++) calls.push(madeCall(random, choices, Date.now() - made * 60_000));
  }
  for (const call of calls) await insertCall(api.pool, call);
  while ((await service(AnalyticsCountingService).countPending()) > 0);
});
afterAll(() => api.stop());

describe('GET /calls?transcript=', () => {
  const find = async (transcript: string, query: object = {}, token = own.token) => {
    const { status, body } = await api
      .as(token)
      .get('/api/v1/calls')
      .query({ transcript, per_page: 100, ...query });
    expect([status, body.errors]).toEqual([200, undefined]);
    const data = body.data as {
      call_id: string;
      agent_id: number;
      transcript_matches: { text: string; started_ms: number }[];
    }[];
    return { ids: data.map((call) => call.call_id).toSorted(), data, meta: body.meta as { total?: number } };
  };
  const saying = (text: RegExp, accountId = own.accountId): string[] =>
    calls
      .filter((call) => call.accountId === accountId && text.test(call.text))
      .map((call) => call.id)
      .toSorted();

  it('finds calls by words, phrases and beginnings of words, in any case and with or without accents', async () => {
    const refunds = saying(/refund/);
    expect(refunds.length).toBeGreaterThan(5);
    for (const words of ['refund', 'ORDER refund', '"refund for order"', 'refu*', 'order-4711', '"order 4711"'])
      expect([words, (await find(words)).ids]).toEqual([words, refunds]);
    expect((await find('hatte STRASSE')).ids).toEqual(saying(/Straße/));
    expect((await find('"order for refund"')).ids).toEqual([]);
    expect((await find('"late i want"')).ids).toEqual([]);
    const found = await find('is -refund');
    expect(found.ids).toEqual(saying(/parcel/));
    expect(found.meta.total).toBe(found.ids.length);
  });

  it('works with other filters and pages, and shows the turns with their times', async () => {
    const { data } = await find('refund', { agent_id: own.agentId });
    expect(data.length).toBeGreaterThan(0);
    for (const call of data) {
      expect(call.agent_id).toBe(own.agentId);
      expect(call.transcript_matches).toEqual([
        { turn: 1, role: 'callee', text: 'I want a refund for order 4711.', started_ms: 100, ended_ms: 900 },
      ]);
    }
    const whole = (await find('refund')).ids;
    const first = await find('refund', { per_page: 3 });
    const second = await find('refund', { per_page: 3, page: 2 });
    expect(new Set([...first.ids, ...second.ids]).size).toBe(6);
    expect(whole).toEqual(expect.arrayContaining([...first.ids, ...second.ids]));
  });

  it('never finds transcripts of another account, whatever the text', async () => {
    const theirs = saying(/refund/, other.accountId);
    expect((await find('refund', {}, other.token)).ids).toEqual(theirs);
    for (const text of [
      `refund @${other.accountId}`,
      `'@${other.accountId}' | refund`,
      `refund) | ('@${other.accountId}'`,
    ])
      expect((await find(text)).ids.filter((id) => theirs.includes(id))).toEqual([]);
  });

  it('refuses a text without words', async () => {
    const { status, body } = await api.as(own.token).get('/api/v1/calls').query({ transcript: '"" -x' });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['transcript']]);
  });

  it('finds nothing after the retention or the call is deleted', async () => {
    await api.pool.query('UPDATE accounts SET transcripts_days = 1 WHERE id = $1', [other.accountId]);
    await api.pool.query(`UPDATE calls SET ended_at = now() - interval '9 days' WHERE account_id = $1`, [
      other.accountId,
    ]);
    const retention = service(CallRetentionService);
    while ((await retention.deleteExpiredTranscripts()) > 0);
    expect((await find('refund', {}, other.token)).ids).toEqual([]);
    const [id] = (await find('refund')).ids;
    await api.as(own.token).delete(`/api/v1/calls/${id}`);
    expect((await find('refund')).ids).not.toContain(id);
    const { rows } = await api.pool.query(
      `SELECT count(*)::integer AS left FROM call_search WHERE account_id = $1 OR call_id = $2`,
      [other.accountId, id],
    );
    expect(rows).toEqual([{ left: 0 }]);
  });
});
