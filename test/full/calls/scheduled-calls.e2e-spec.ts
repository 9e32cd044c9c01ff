import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallReleaseService, CallsModule, DialersService } from '@app/calls';
import { dataOf } from '@app/client';
import type { INestApplicationContext } from '@nestjs/common';
import { Pool } from 'pg';
import { type ApiClient, apiOf } from '../../support/api-client.js';
import { eventOfCall } from '../../support/call-events.js';
import { CountingCallee } from '../../support/counting-callee.js';
import { openServices } from '../../support/services.js';
import { Stack } from '../../support/stack.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const iso = (ms: number): string => new Date(Date.now() + ms).toISOString();

const NINE_TO_FIVE = { from: '09:00', to: '17:00' };

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
  const listed = async (scheduled: 'true' | 'false'): Promise<string[]> => {
    const { data } = await api.GET('/api/v1/calls', { params: { query: { scheduled } } });
    return data!.data.map(({ call_id: id }) => id);
  };

  it('says when it will be dialled, is no part of the queue, and can be cancelled at once', async () => {
    const notBefore = iso(2 * DAY_MS);
    const call = await api.createCall({ to_number: callee.uri(1), not_before: notBefore, ...laterToday() });
    const { scheduled_for: time, ...found } = await api.call(call.call_id);
    expect(found).toMatchObject({
      status: 'pending',
      schedule: { window: laterToday().window, time_zones: ['UTC'] },
    });
    expect(Date.parse(time!)).toBeGreaterThan(Date.parse(notBefore));
    expect(await listed('true')).toContain(call.call_id);
    expect(await listed('false')).not.toContain(call.call_id);
    const { calls } = await dataOf(api.GET('/api/v1/account'));
    expect(calls).toMatchObject({ queued: 0, scheduled: 1 });

    const cancelled = await api.cancel(call.call_id);
    expect(cancelled).toMatchObject({ status: 'cancelled', hangup_cause: 'cancelled', scheduled_for: null });
    expect(await listed('true')).toEqual([]);
  });

  it.each<[string, object, string, RegExp]>([
    ['a date as not_before', { not_before: '2026-12-01' }, 'not_before', /^The not before field .* offset/],
    ['a not_before without an offset', { not_before: '2026-12-01T09:00:00' }, 'not_before', /offset/],
    ['a not_before that is no time', { not_before: 5 }, 'not_before', /ISO 8601/],
    ['a not_before in the far future', { not_before: iso(367 * DAY_MS) }, 'not_before', /366 days ahead/],
    ['an unknown time zone', { time_zone: 'Europe/Atlantis' }, 'time_zone', /IANA/],
    ['an offset as time zone', { time_zone: '+02:00' }, 'time_zone', /IANA/],
    ['a list as window', { window: [] }, 'window', /must be an object/],
    ['a window without windows', { window: {} }, 'window.windows', /array/],
    ['no windows', { window: { windows: [] } }, 'window.windows', /not be empty/],
    ['a text as window', { window: { windows: ['09:00'] } }, 'window.windows.0', /must be an object/],
    ['a window without an end', { window: { windows: [{ from: '09:00' }] } }, 'window.windows.0.to', /is required/],
    ['25:00', { window: { windows: [{ from: '25:00', to: '09:00' }] } }, 'window.windows.0.from', /time of day/],
    ['a number as time', { window: { windows: [{ from: 9, to: '17:00' }] } }, 'window.windows.0.from', /time of day/],
    [
      'an unknown day',
      { window: { windows: [{ days: ['mon'], ...NINE_TO_FIVE }] } },
      'window.windows.0.days',
      /weekdays/,
    ],
    ['no days', { window: { windows: [{ days: [], ...NINE_TO_FIVE }] } }, 'window.windows.0.days', /not be empty/],
    [
      'an impossible date',
      { window: { windows: [NINE_TO_FIVE], excluded_dates: ['2026-02-30'] } },
      'window.excluded_dates',
      /dates such as/,
    ],
    ['a window for a SIP URI without a zone', { window: { windows: [NINE_TO_FIVE] } }, 'time_zone', /is required/],
    [
      'a window that never opens',
      { to_number: '+61891234567', window: { windows: [{ from: '09:00', to: '09:30' }] } },
      'window',
      /never opens in Australia\/Adelaide and Australia\/Perth/,
    ],
    [
      'a wrong time of one destination',
      { to_number: ['sip:a@127.0.0.1', { to_number: 'sip:b@127.0.0.1', not_before: 'soon' }] },
      'to_number.1.not_before',
      /^The to_number\.1\.not_before field/,
    ],
    [
      'a wrong zone of one destination',
      { to_number: [{ to_number: 'sip:b@127.0.0.1', time_zone: 'Mars' }] },
      'to_number.0.time_zone',
      /IANA/,
    ],
  ])('is refused with %s, by the name of the field', async (_, fields, field, sentence) => {
    const body = {
      to_number: callee.uri(1),
      agent_id: account.agentId,
      number_id: account.numberId,
      trunk_id: account.trunkId,
    };
    const response = await fetch(`${stack.baseUrl}/api/v1/calls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...fields }),
    });
    const { errors } = (await response.json()) as { errors: Record<string, string[]> };
    expect([response.status, Object.keys(errors)]).toEqual([422, [field]]);
    expect(errors[field]![0]).toMatch(sentence);
  });

  it('may have a time and a time zone for each destination of a request', async () => {
    // Outside of the window in both time zones.
    const [evening, later] = [1, 2].map((days) => `${iso(days * DAY_MS).slice(0, 10)}T20:00:00.000Z`) as [
      string,
      string,
    ];
    const to_number = [
      '+4930123456',
      { to_number: '+4930123457', not_before: later },
      { to_number: '+4930123458', time_zone: 'Asia/Kathmandu' },
    ];
    const window = { windows: [NINE_TO_FIVE] };
    const { data } = await api.POST('/api/v1/calls', {
      body: {
        to_number,
        agent_id: account.agentId,
        number_id: account.numberId,
        trunk_id: account.trunkId,
        not_before: evening,
        window,
      },
    });
    const calls = data!.data as { call_id: string }[];
    const found = await Promise.all(calls.map(({ call_id: id }) => api.call(id)));
    expect(found.map(({ schedule }) => [Date.parse(schedule!.not_before!), schedule!.time_zones])).toEqual([
      [Date.parse(evening), ['Europe/Berlin']],
      [Date.parse(later), ['Europe/Berlin']],
      [Date.parse(evening), ['Asia/Kathmandu']],
    ]);
    expect(new Set(found.map(({ scheduled_for: time }) => time)).size).toBe(3);
    for (const { call_id: id } of calls) await api.cancel(id);
  });

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
