import { type CallRow } from '../call.entity.js';
import { DialChecksService } from './dial-checks.service.js';
import { CallProgressService } from '../progress/call-progress.service.js';
import { DoNotCallService } from './do-not-call.service.js';
import { newId } from '@app/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { InProcessApi } from '../../../../test/support/in-process-api.js';
import { aCall, aWorkspace, type Workspace } from '../../../../test/support/factories.js';

let api: InProcessApi;
let own: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start({ DATABASE_POOL: '30' });
  await api.pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('d', now() + interval '1 hour')`);
  own = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const LIST = '/api/v1/do-not-call';
const client = (workspace = own) => api.as(workspace.token);
const add = (body: object, workspace = own) => client(workspace).post(LIST).send(body);
const check = (number: string) => client().get(`${LIST}/check`).query({ number });
const importCsv = (text: string) => client().post(`${LIST}/import`).set('content-type', 'text/csv').send(text);

const claimed = (to_number: string, workspace = own) => aCall(api.pool, workspace, { owner: 'd', to_number });
/** As the dialer of the call does, with the limits of its account. */
async function beginDial(id: string, now?: Date) {
  const call = { id, owner: 'd' };
  const context = await api.app.get(CallProgressService).context(call);
  if (!context) throw new Error('The call has ended.');
  return api.app.get(DialChecksService).beginDial(call, context, now);
}
const eventsOf = async (id: string) =>
  (
    await api.pool.query<{ type: string; data: Record<string, unknown> }>(
      'SELECT type, data FROM call_events WHERE call_id = $1 ORDER BY seq',
      [id],
    )
  ).rows;
const rowOf = async (id: string) => (await api.pool.query<CallRow>('SELECT * FROM calls WHERE id = $1', [id])).rows[0]!;

describe('the do-not-call list', () => {
  it('ends queued calls to a number that it gets, scheduled ones as well', async () => {
    const queued = await aCall(api.pool, own, { to_number: '+12025550140' });
    const scheduled = await aCall(api.pool, own, { to_number: '+12025550140', due_at: new Date(Date.now() + 60_000) });
    const uri = await aCall(api.pool, own, { to_number: 'sip:12025550140@carrier.example' });
    const other = await aCall(api.pool, own, { to_number: '+120255501401' });
    expect((await add({ number: '+12025550140' })).body.ended_calls).toBe(3);
    for (const id of [queued, scheduled, uri])
      expect(await rowOf(id)).toMatchObject({ status: 'failed', hangup_cause: 'do_not_call', started_at: null });
    expect((await rowOf(other)).status).toBe('pending');
    expect((await importCsv('+120255501401\n')).body.data.ended_calls).toBe(1);
  });

  it('forbids a claimed call, whose event names the entry and not its reason', async () => {
    const id = await claimed('+12025550150');
    const { body } = await add({ number: '+1202555015*', reason: 'a private matter' });
    expect(await beginDial(id)).toEqual({ kind: 'refused', cause: 'do_not_call' });
    expect(await rowOf(id)).toMatchObject({ started_at: null });
    const [event] = await eventsOf(id);
    expect(event).toMatchObject({
      type: 'compliance_checked',
      data: { result: 'do_not_call', entry_id: body.data.id, attempts: { last_24_hours: 0 } },
    });
    expect(JSON.stringify(event)).not.toContain('private');
    await client().delete(`${LIST}/${body.data.id}`);
    expect(await beginDial(id)).toEqual({ kind: 'dial' });
  });

  it('does not forbid calls after the expiry of an entry', async () => {
    const id = await claimed('+12025550160');
    await api.pool.query(
      `INSERT INTO do_not_call (id, account_id, number, source, expires_at) VALUES ($1, $2, '+12025550160', 'api', now() - interval '1 s')`,
      [newId(), own.accountId],
    );
    expect(await beginDial(id)).toEqual({ kind: 'dial' });
    await add({ number: '+12025550160' });
    expect((await check('+12025550160')).body.data.allowed).toBe(false);
  });

  it('lets no INVITE leave after the response to an addition, however the two race', async () => {
    let number = 0;
    const race = fc.record({
      calls: fc.integer({ min: 1, max: 12 }),
      adds: fc.integer({ min: 1, max: 4 }),
      asPrefix: fc.boolean(),
      asUri: fc.boolean(),
      /** Which of the two begins, and how often the event loop turns in between. */
      turns: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 16, maxLength: 16 }),
    });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await fc.assert(
      fc.asyncProperty(race, async ({ calls, adds, asPrefix, asUri, turns }) => {
        const workspace = await aWorkspace(api.pool);
        const e164 = `+1202556${String((number += 1)).padStart(4, '0')}`;
        const to = asUri ? `sip:${e164}@carrier.example` : e164;
        const ids = await Promise.all(Array.from({ length: calls }, () => claimed(to, workspace)));
        const list = api.app.get(DoNotCallService);
        const who = { accountId: workspace.accountId, actor: { kind: 'system' as const } };
        const answeredAt: number[] = [];
        const begun: { id: string; at: number }[] = [];
        const after = async (index: number, work: () => Promise<void>): Promise<void> => {
          for (let left = turns[index % turns.length]!; left > 0; left -= 1) await turn();
          await work();
        };
        await Promise.all([
          ...ids.map((id, index) =>
            after(index, async () => {
              const at = performance.now();
              if ((await beginDial(id)).kind === 'dial') begun.push({ id, at });
            }),
          ),
          ...Array.from({ length: adds }, (_, index) =>
            after(calls + index, async () => {
              const entry = { number: asPrefix ? e164.slice(0, -1) : e164, isPrefix: asPrefix };
              await list.add(who, { ...entry, reason: null, expiresAt: null });
              answeredAt.push(performance.now());
            }),
          ),
        ]);
        const { rows } = await api.pool.query<{ late: number; dialled: number }>(
          `SELECT count(*) FILTER (WHERE c.started_at >= d.created_at)::int AS late, count(c.started_at)::int AS dialled
             FROM calls c, do_not_call d WHERE c.account_id = $1 AND d.account_id = $1`,
          [workspace.accountId],
        );
        expect(rows[0]).toEqual({ late: 0, dialled: begun.length });
        const first = Math.min(...answeredAt);
        expect(begun.filter(({ at }) => at > first)).toEqual([]);
      }),
      { numRuns: 60, seed: 20 },
    );
  });
});

describe('contact limits', () => {
  const limit = (columns: Record<string, unknown>) => aWorkspace(api.pool, columns);

  it.each([
    ['a day', { contact_attempts_per_day: 3 }],
    ['a week', { contact_attempts_per_week: 3 }],
  ])('allow no more calls to a number in %s, also when many dialers begin at once', async (_name, columns) => {
    const workspace = await limit(columns);
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        claimed(index % 2 === 0 ? '+12025550200' : 'sip:12025550200@carrier.example', workspace),
      ),
    );
    const decisions = await Promise.all(ids.map((id) => beginDial(id)));
    expect(decisions.filter(({ kind }) => kind === 'dial')).toHaveLength(3);
    expect(decisions.filter(({ kind }) => kind === 'refused')).toHaveLength(17);
    expect(decisions).toContainEqual({ kind: 'refused', cause: 'contact_limit' });
    expect(await beginDial(await claimed('+12025550201', workspace))).toEqual({ kind: 'dial' });
  });

  it('count the calls of the last 24 hours and of the last seven days, and forget older ones', async () => {
    const workspace = await limit({ contact_attempts_per_day: 1, contact_attempts_per_week: 2 });
    const id = await claimed('+12025550210', workspace);
    const attempt = (hours: number) =>
      api.pool.query(
        `INSERT INTO contact_attempts (account_id, number, call_id, at) VALUES ($1, '+12025550210', $2, now() - $3 * interval '1 hour')`,
        [workspace.accountId, newId(), hours],
      );
    await attempt(25);
    await attempt(24 * 7 + 1);
    await attempt(24 * 8 + 1);
    expect(await beginDial(id)).toEqual({ kind: 'dial' });
    expect((await eventsOf(id))[0]?.data).toMatchObject({
      result: 'allowed',
      attempts: { last_24_hours: 0, last_7_days: 1 },
      limits: { attempts_per_day: 1, attempts_per_week: 2 },
      local_times: [{ time_zone: 'America/New_York' }],
    });
    expect(await api.app.get(DoNotCallService).deleteOldAttempts()).toBe(1);
    await api.pool.query(`UPDATE contact_attempts SET at = at - interval '1 day' WHERE account_id = $1`, [
      workspace.accountId,
    ]);
    expect(await beginDial(await claimed('+12025550210', workspace))).toEqual({
      kind: 'refused',
      cause: 'contact_limit',
    });
  });

  it('let a call wait for the contact hours of its number', async () => {
    const workspace = await limit({
      contact_earliest: '08:00',
      contact_latest: '21:00',
      contact_time_zone: 'Asia/Kolkata',
    });
    const id = await claimed('+12025550220', workspace);
    const early = new Date('2026-12-01T12:30:00Z');
    expect(await beginDial(id, early)).toEqual({ kind: 'later', at: new Date('2026-12-01T13:00:00Z') });
    expect(await beginDial(id, new Date('2026-12-01T13:00:00Z'))).toEqual({ kind: 'dial' });
    // A satellite phone has no zone of its own.
    const satellite = await claimed('+881612345678', workspace);
    expect(await beginDial(satellite, new Date('2026-12-01T02:00:00Z'))).toEqual({
      kind: 'later',
      at: new Date('2026-12-01T02:30:00Z'),
    });
  });

  it('write no event for accounts without a list and without limits', async () => {
    const workspace = await limit({});
    const id = await claimed('+12025550230', workspace);
    expect(await beginDial(id)).toEqual({ kind: 'dial' });
    expect(await eventsOf(id)).toEqual([]);
  });
});
