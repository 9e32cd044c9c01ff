import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { THE_SERVICE } from '@app/audit';
import { CampaignContactsService } from './campaign-contacts.service.js';
import { CampaignProgressService } from './campaign-progress.service.js';
import { CampaignsModule } from './campaigns.module.js';
import { CampaignsService } from './campaigns.service.js';
import type { INestApplicationContext } from '@nestjs/common';
import { Client } from 'pg';
import { CountingCallee } from '../../../test/support/counting-callee.js';
import { eventually } from '../../../test/support/eventually.js';
import { openServices } from '../../../test/support/services.js';
import { type Role, Stack } from '../../../test/support/stack.js';
import { WebhookSink } from '../../../test/support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../../test/support/workspace.js';

/** More by hand: 10,000 contacts take about ten minutes. */
const CONTACTS = Number(process.env.TRUNKLINE_TEST_CONTACTS ?? 300);
/** Contacts of one request. */
const ADDED_AT_ONCE = 1_000;
/** Contacts whose window is closed as long as the test runs. */
const CLOSED = 20;
const PATIENCE_MS = 150_000 + CONTACTS * 200;

/** Open now in UTC, and closed for twelve hours from now. */
function windowNow(): { from: string; to: string } {
  const at = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  return { from: at(-2), to: at(4) };
}

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
/** Twelve hours from UTC. */
const FAR = 'Etc/GMT+12';

interface Attempts {
  contact_id: string;
  calls: number;
  lost: number;
}

describe('campaigns', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let callee: CountingCallee;
  let services: INestApplicationContext;
  let database: Client;

  beforeAll(async () => {
    [sink, callee] = await Promise.all([WebhookSink.start(), CountingCallee.start('127.0.0.1', 400)]);
    stack = await Stack.start({ dialers: 2, workers: 2, env: { DIALER_CALLS: '20' } });
    const variables = { DATABASE_URL: stack.database.url, SECRET_KEY: stack.secretKey };
    const nets = { EGRESS_ALLOW_CIDRS: '127.0.0.0/8', SIP_ALLOW_CIDRS: '127.0.0.0/8' };
    services = await openServices({ ...variables, ...nets }, [CampaignsModule]);
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
  });

  afterAll(async () => {
    await services?.close();
    await database?.end();
    await stack?.stop();
    await callee?.close();
    await sink?.close();
  });

  async function aCampaign(
    account: TestAccount,
    fields: { name: string } & Record<string, unknown>,
    contacts: object[],
  ): Promise<number> {
    const acting = { accountId: account.accountId, actor: THE_SERVICE };
    const settings = { agent_id: account.agentId, number_ids: [account.numberId], record: false, ...fields };
    const { view } = await services.get(CampaignsService).create(acting, settings);
    for (let from = 0; from < contacts.length; from += ADDED_AT_ONCE) {
      const some = contacts.slice(from, from + ADDED_AT_ONCE);
      const added = await services.get(CampaignContactsService).add(acting, view.id, some, 'refuse');
      expect(added).toEqual({ added: some.length, merged: 0, refused: [] });
    }
    await services.get(CampaignsService).start(acting, view.id);
    return view.id;
  }

  const progressOf = (account: TestAccount, id: number) =>
    services.get(CampaignProgressService).find(account.accountId, id);

  async function replace(role: Role): Promise<void> {
    const victim = stack.processes.find((one) => one.role === role);
    if (!victim) throw new Error(`There is no ${role} to kill.`);
    await stack.kill(victim);
    await stack.add(role);
  }

  /** Counted from the contacts themselves. */
  async function countedOf(id: number): Promise<Record<string, number>> {
    const { rows } = await database.query<{ key: string; contacts: number }>(
      `SELECT key, count(*)::integer AS contacts FROM campaign_contacts,
          unnest(ARRAY[status, 'outcome:' || outcome, 'reason:' || reason]) AS key
        WHERE campaign_id = $1 AND key IS NOT NULL GROUP BY key`,
      [id],
    );
    return Object.fromEntries(rows.map(({ key, contacts }) => [key, contacts]));
  }

  async function storedCounts(id: number): Promise<Record<string, number>> {
    const { rows } = await database.query<{ key: string; contacts: string }>(
      'SELECT key, contacts FROM campaign_progress WHERE campaign_id = $1 AND contacts <> 0',
      [id],
    );
    return Object.fromEntries(rows.map(({ key, contacts }) => [key, Number(contacts)]));
  }

  it(
    'reach each contact with one INVITE per attempt while dialers and workers are killed',
    async () => {
      const limits = { concurrentCalls: 60, callsPerSecond: 100 };
      const account = await createAccount(stack, { name: 'killed', webhookUrl: `${sink.url}/killed`, ...limits });
      const contacts = Array.from({ length: CONTACTS }, (_, n) => ({
        to_number: callee.uri(n),
        time_zone: n < CLOSED ? FAR : 'UTC',
      }));
      const schedule = { windows: [{ days: DAYS, ...windowNow() }] };
      const retry = { max_attempts: 2, delay_minutes: { busy: 0, failed: 0 } };
      const pacing = { breaker: null, reserve_percent: 0 };
      const webhook = { url: `${sink.url}/campaign` };
      const id = await aCampaign(account, { name: 'killed', schedule, retry, pacing, webhook }, contacts);

      await callee.untilDialogs(CONTACTS / 5, PATIENCE_MS);
      await Promise.all([replace('dialer'), replace('worker')]);
      await callee.untilDialogs(CONTACTS / 2, PATIENCE_MS);
      await replace('worker');
      await replace('dialer');

      const done = await eventually(
        () => progressOf(account, id),
        ({ contacts: { waiting, calling } }) => waiting === CLOSED && calling === 0,
        PATIENCE_MS,
      );
      expect(done).toMatchObject({ status: 'running', reasons: { waiting_for_window: CLOSED } });
      expect(await storedCounts(id)).toEqual(await countedOf(id));

      const { rows } = await database.query<Attempts & { to_number: string; attempts: number; status: string }>(
        `SELECT c.to_number, c.attempts, c.status, count(k.id) FILTER (WHERE k.started_at IS NOT NULL)::integer AS calls,
          count(k.id) FILTER (WHERE k.hangup_cause = 'worker_lost')::integer AS lost
        FROM campaign_contacts c LEFT JOIN calls k ON k.contact_id = c.id AND k.campaign_id = c.campaign_id
        WHERE c.campaign_id = $1 GROUP BY c.id`,
        [id],
      );
      expect(rows).toHaveLength(CONTACTS);
      for (const { to_number: uri, attempts, calls, lost } of rows) {
        const n = numberOf(uri);
        const invites = callee.dialogs.get(`callee-${n}`) ?? 0;
        expect(attempts).toBe(calls);
        // A killed dialer may have counted an attempt whose INVITE did not leave.
        expect(invites).toBeLessThanOrEqual(calls);
        expect(invites).toBeGreaterThanOrEqual(calls - lost);
      }
      const closed = Array.from({ length: CLOSED }, (_, n) => callee.dialogs.get(`callee-${n}`));
      expect(closed.every((invites) => invites === undefined)).toBe(true);
      const reached = rows.filter(({ status }) => status === 'reached').length;
      // Half of the contacts are busy at each attempt; the calls of two killed dialers failed once.
      expect(reached).toBeGreaterThanOrEqual((CONTACTS - CLOSED) / 2 - 40);
      expect(rows.filter(({ lost }) => lost > 0).length).toBeGreaterThan(0);

      const acting = { accountId: account.accountId, actor: THE_SERVICE };
      await services.get(CampaignsService).cancel(acting, id);
      const cancelled = await eventually(
        () => progressOf(account, id),
        ({ contacts: { waiting } }) => waiting === 0,
        PATIENCE_MS,
      );
      expect(cancelled).toMatchObject({ status: 'cancelled', reasons: { campaign_cancelled: CLOSED } });
      expect(sink.received.filter(({ path }) => path === '/campaign').map(({ body }) => body.event)).toEqual([
        'started',
      ]);
    },
    PATIENCE_MS + 90_000,
  );

  it('stop within a second when they are paused, and go on where they were', async () => {
    const limits = { concurrentCalls: 40, callsPerSecond: 8 };
    const account = await createAccount(stack, { name: 'paused', webhookUrl: `${sink.url}/calls`, ...limits });
    const first = 2 * CONTACTS + 1;
    const contacts = Array.from({ length: 40 }, (_, n) => ({ to_number: callee.uri(first + 2 * n) }));
    const seen = callee.dialogs.size;
    const pacing = { reserve_percent: 0 };
    const webhook = { url: `${sink.url}/paused` };
    const id = await aCampaign(account, { name: 'paused', pacing, webhook }, contacts);
    await callee.untilDialogs(seen + 8);
    const acting = { accountId: account.accountId, actor: THE_SERVICE };
    await services.get(CampaignsService).pause(acting, id);
    const pausedAt = performance.now();
    const paused = await eventually(
      () => progressOf(account, id),
      ({ contacts: { calling } }) => calling === 0,
      PATIENCE_MS,
    );
    expect(paused.contacts.waiting).toBeGreaterThan(0);
    expect(paused.reasons).toEqual({ campaign_paused: paused.contacts.waiting });
    expect(paused.attempts).toBe(paused.contacts.reached);
    expect(Math.max(...callee.arrivals) - pausedAt).toBeLessThan(1_000);

    await services.get(CampaignsService).resume(acting, id);
    await sink.until((all) => all.some(({ path, body }) => path === '/paused' && body.event === 'completed'));
    expect(await progressOf(account, id)).toMatchObject({
      status: 'completed',
      contacts: { total: 40, reached: 40 },
      attempts: 40,
    });
    const events = sink.received.filter(({ path }) => path === '/paused').map(({ body }) => body);
    expect(events.map(({ event, sequence }) => `${sequence} ${event}`)).toEqual([
      '1 started',
      '2 paused',
      '3 started',
      '4 completed',
    ]);
    for (let n = 0; n < 40; n++) expect(callee.dialogs.get(`callee-${first + 2 * n}`)).toBe(1);
  }, 240_000);
});

const numberOf = (uri: string): number => Number(/callee-(\d+)@/.exec(uri)?.[1]);
