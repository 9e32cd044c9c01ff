import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallReleaseService } from './call-release.service.js';
import { CallsModule } from '../calls.module.js';
import { DialersService } from './dialers.service.js';
import type { INestApplicationContext } from '@nestjs/common';
import { Pool } from 'pg';
import { type ApiClient, apiOf } from '../../../../test/support/api-client.js';
import { eventOfCall } from '../../../../test/support/call-events.js';
import { CountingCallee } from '../../../../test/support/counting-callee.js';
import { openServices } from '../../../../test/support/services.js';
import { Stack } from '../../../../test/support/stack.js';
import { createAccount, type TestAccount } from '../../../../test/support/workspace.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const iso = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** A daily window in UTC that opens six hours from now. */
const laterToday = () => {
  const hour = (ms: number): string => `${new Date(Date.now() + ms).toISOString().slice(11, 13)}:00`;
  return { window: { windows: [{ from: hour(6 * HOUR_MS), to: hour(7 * HOUR_MS) }] }, time_zone: 'UTC' };
};

describe('a scheduled call', () => {
  let stack: Stack;
  let callee: CountingCallee;
  let database: Pool;
  let services: INestApplicationContext;
  let account: TestAccount;
  let api: ApiClient;

  beforeAll(async () => {
    callee = await CountingCallee.start();
    stack = await Stack.start({ dialers: 0 });
    database = new Pool({ connectionString: stack.database.url, max: 2 });
    services = await openServices({ DATABASE_URL: stack.database.url, DATABASE_POOL: '2' }, [CallsModule]);
    account = await createAccount(stack, { name: 'acme' });
    api = apiOf(stack, account);
  });

  afterAll(async () => {
    await services?.close();
    await database?.end();
    await stack?.stop();
    await callee?.close();
  });

  const ended = (id: string) => eventOfCall(database, id, ({ data }) => data.hangup_cause !== undefined);
  /** As after a long wait in the queue. */
  const releaseNow = (id: string) => database.query('UPDATE calls SET due_at = now() WHERE id = $1', [id]);

  it('expires a day after its time, not a day after its creation', async () => {
    const { call_id: id } = await api.createCall({ to_number: callee.uri(3), not_before: iso(40 * DAY_MS) });
    const dialers = services.get(DialersService);
    const statusAfter = async (ms: number): Promise<string> => {
      await dialers.endExpiredCalls(Date.now() + ms);
      return (await api.call(id)).status;
    };
    expect(await statusAfter(41 * DAY_MS)).toBe('pending');
    await database.query(`UPDATE calls SET due_at = NULL, released_at = now() + interval '40 days' WHERE id = $1`, [
      id,
    ]);
    expect(await statusAfter(40 * DAY_MS + 23 * HOUR_MS)).toBe('pending');
    expect(await statusAfter(41 * DAY_MS + HOUR_MS)).toBe('failed');
    expect(await api.call(id)).toMatchObject({ hangup_cause: 'queue_expired' });
  });

  it('is dialled once, not before its time, although its dialer is killed meanwhile', async () => {
    const first = await stack.add('dialer');
    const due = Date.now() + 2_000;
    const destinations = [5, 7].map((n) => ({ to_number: callee.uri(n), not_before: new Date(due).toISOString() }));
    const response = await api.POST('/api/v1/calls', {
      body: { to_number: destinations, agent_id: account.agentId, number_id: account.numberId },
    });
    const calls = response.data!.data as { call_id: string }[];
    await stack.kill(first);
    await stack.add('dialer');
    for (const { call_id: id } of calls) {
      await ended(id);
      const { started_at: started, status } = await api.call(id);
      expect(status).toBe('completed');
      expect(Date.parse(started!)).toBeGreaterThanOrEqual(due);
    }
    expect([callee.dialogs.get('callee-5'), callee.dialogs.get('callee-7')]).toEqual([1, 1]);
  });

  it('is released on time, by one of several processes', async () => {
    const { call_id: id } = await api.createCall({ to_number: callee.uri(2), not_before: iso(HOUR_MS) });
    const releases = services.get(CallReleaseService);
    expect(await releases.release()).toBe(1_000);
    await database.query(`UPDATE calls SET due_at = now(), settings = '{}' WHERE id = $1`, [id]);
    await Promise.all(Array.from({ length: 4 }, () => releases.release()));
    await ended(id);
    const { rows } = await database.query(
      'SELECT due_at, released_at > created_at AS queued FROM calls WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ due_at: null, queued: true }]);
    expect(callee.dialogs.get('callee-2')).toBe(1);
  });

  it('waits for its next window when the window closed while it waited in the queue', async () => {
    const call = await api.call((await api.createCall({ to_number: callee.uri(9), ...laterToday() })).call_id);
    await releaseNow(call.call_id);
    const { data } = await eventOfCall(database, call.call_id, ({ type }) => type === 'postponed');
    expect(data).toEqual({ reason: 'outside_window', scheduled_for: call.scheduled_for });
    const found = await api.call(call.call_id);
    expect(found).toMatchObject({ status: 'pending', scheduled_for: call.scheduled_for, started_at: null });
    expect((await api.cancel(call.call_id)).status).toBe('cancelled');
    expect(callee.dialogs.has('callee-9')).toBe(false);
  });

  it.each([
    [
      'fails when no window is left',
      `settings = jsonb_set(settings, '{schedule,time_zones}', '["UTC", "Pacific/Honolulu"]')`,
      'failed',
    ],
    [
      'of a campaign ends as cancelled when its window has closed, and the campaign decides',
      'campaign_id = 1',
      'cancelled',
    ],
  ])('%s', async (_, change, status) => {
    const { call_id: id } = await api.createCall({ to_number: callee.uri(11), ...laterToday() });
    await database.query(`UPDATE calls SET ${change} WHERE id = $1`, [id]);
    await releaseNow(id);
    await ended(id);
    const found = await api.call(id);
    expect(found).toMatchObject({ status, hangup_cause: 'outside_window', ended_by: 'system', started_at: null });
    expect(callee.dialogs.has('callee-11')).toBe(false);
  });
});
