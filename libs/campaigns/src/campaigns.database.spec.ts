import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { THE_SERVICE } from '@app/audit';
import { CampaignContactsService } from './campaign-contacts.service.js';
import { CampaignProgressService } from './campaign-progress.service.js';
import { CampaignRunnerService } from './campaign-runner.service.js';
import { CampaignsModule } from './campaigns.module.js';
import { CampaignsService } from './campaigns.service.js';
import { Conflict } from '@app/common';
import type { INestApplicationContext } from '@nestjs/common';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { aNumber, aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { openServices } from '../../../test/support/services.js';

const number = (n: number): string => `+4930${1_000_000 + n}`;
const numbered = (count: number, from = 0): { to_number: string }[] =>
  Array.from({ length: count }, (_, n) => ({ to_number: number(from + n) }));

describe('the campaign services, without dialers', () => {
  let test: TestDatabase;
  let pool: Pool;
  let services: INestApplicationContext;
  let names = 0;

  beforeAll(async () => {
    test = await createTestDatabase();
    pool = new Pool({ connectionString: test.url });
    services = await openServices({ DATABASE_URL: test.url }, [CampaignsModule], {
      wake: (queue) => queue === 'campaigns' && services?.get(CampaignRunnerService).wake(),
    });
    services.get(CampaignRunnerService).start();
  });

  afterAll(async () => {
    await services?.get(CampaignRunnerService).stop();
    await services?.close();
    await pool?.end();
    await test?.drop();
  });

  const campaigns = () => services.get(CampaignsService);
  const contacts = () => services.get(CampaignContactsService);
  const acting = ({ accountId }: Workspace) => ({ accountId, actor: THE_SERVICE });
  const progress = (workspace: Workspace, id: number) =>
    services.get(CampaignProgressService).find(workspace.accountId, id);

  async function aDraft(workspace: Workspace, fields: object = {}): Promise<number> {
    const name = `campaign ${(names += 1)}`;
    const settings = { name, agent_id: workspace.agentId, number_ids: [workspace.numberId], ...fields };
    const { view } = await campaigns().create(acting(workspace), settings);
    return view.id;
  }

  const callsOf = async (id: number) =>
    (
      await pool.query<{ number_id: number }>(
        'SELECT number_id, agent_version, metadata, settings FROM calls WHERE campaign_id = $1 ORDER BY id',
        [id],
      )
    ).rows;

  /** As a dialer ends them. */
  async function endCalls(id: number, status: string, cause: string): Promise<number> {
    const { rowCount } = await pool.query(
      `UPDATE calls SET status = $2, hangup_cause = $3, started_at = now(), ended_at = now(),
          answered_at = CASE WHEN $2 = 'completed' THEN now() END
        WHERE campaign_id = $1 AND ended_at IS NULL`,
      [id, status, cause],
    );
    services.get(CampaignRunnerService).wake();
    return rowCount ?? 0;
  }

  it('merge or refuse numbers that a campaign has, and report the rows that cannot be called', async () => {
    const workspace = await aWorkspace(pool, { destinations_deny: ['+44'] });
    await pool.query('UPDATE agents SET variables = $2 WHERE id = $1', [
      workspace.agentId,
      JSON.stringify([{ name: 'first_name', required: true, max_length: 10 }]),
    ]);
    const id = await aDraft(workspace);
    const ada = { to_number: '+49 30 1000001', variables: { first_name: 'Ada' } };
    const rows = [
      ada,
      { to_number: 'tomorrow' },
      { to_number: '+442071838750', variables: { first_name: 'Bob' } },
      { to_number: number(2) },
      { to_number: number(3), variables: { first_name: 'Cy' }, time_zone: 'Mars/Olympus' },
      { ...ada, variables: { first_name: 'Eve' } },
    ];
    const refused = await contacts().add(acting(workspace), id, rows, 'refuse');
    expect(refused).toMatchObject({ added: 1, merged: 0 });
    expect(refused.refused.map(({ index, field, reason }) => `${index} ${field} ${reason}`)).toEqual([
      '1 to_number invalid_number',
      '2 to_number blocked_destination',
      '3 variables.first_name missing_variables',
      '4 time_zone invalid_field',
      '5 to_number duplicate',
    ]);
    const merged = await contacts().add(acting(workspace), id, [rows[5]!], 'merge');
    expect(merged).toEqual({ added: 0, merged: 1, refused: [] });
    const { contacts: listed, total } = await contacts().page(workspace.accountId, id, {}, { page: 1, perPage: 10 });
    expect(total).toBe(1);
    expect(listed[0]).toMatchObject({ variables: { first_name: 'Eve' }, reason: 'campaign_draft' });
    const removed = await contacts().remove(acting(workspace), id, listed[0]!.id);
    expect(removed).toMatchObject({ status: 'cancelled', reason: 'removed' });
    await expect(campaigns().start(acting(workspace), id)).rejects.toThrow(Conflict);
  });

  it('export more contacts than one statement reads', async () => {
    const workspace = await aWorkspace(pool);
    const id = await aDraft(workspace);
    await contacts().add(acting(workspace), id, numbered(1_203), 'refuse');
    const seen: string[] = [];
    for await (const batch of contacts().export(workspace.accountId, id))
      seen.push(...batch.map(({ to_number: to }) => to));
    expect(seen).toEqual(numbered(1_203).map(({ to_number: to }) => to));
  });

  it('release as many calls as the campaign may have, with its numbers in turn', async () => {
    const workspace = await aWorkspace(pool, { concurrent_calls: 20 });
    const second = await aNumber(pool, workspace.accountId);
    const numbers = [workspace.numberId, second];
    const id = await aDraft(workspace, {
      number_ids: numbers,
      metadata: { list: 'a' },
      pacing: { reserve_percent: 50 },
    });
    await contacts().add(acting(workspace), id, numbered(30), 'refuse');
    await campaigns().start(acting(workspace), id);
    const calls = await eventually(
      () => callsOf(id),
      (found) => found.length === 10,
    );
    expect(calls.map((call) => call.number_id)).toEqual(calls.map((_, n) => numbers[n % 2]));
    expect(calls[0]).toMatchObject({ metadata: { list: 'a' } });
    expect(await progress(workspace, id)).toMatchObject({
      contacts: { total: 30, waiting: 20, calling: 10 },
      reasons: { waiting_for_capacity: 20 },
      queued_calls: 10,
      attempts: 10,
    });
    await endCalls(id, 'completed', 'normal_clearing');
    await eventually(
      () => progress(workspace, id),
      ({ contacts: { reached, calling } }) => reached === 10 && calling === 10,
    );
    expect(await callsOf(id)).toHaveLength(20);
    await campaigns().cancel(acting(workspace), id);
    const ended = await eventually(
      () => progress(workspace, id),
      ({ contacts: { cancelled } }) => cancelled === 20,
    );
    expect(ended).toMatchObject({ attempts: 10, outcomes: { unknown: 10 }, reasons: { campaign_cancelled: 20 } });
    const { rows } = await pool.query(
      `SELECT DISTINCT status, hangup_cause FROM calls WHERE campaign_id = $1 AND status <> 'completed'`,
      [id],
    );
    expect(rows).toEqual([{ status: 'failed', hangup_cause: 'campaign_stopped' }]);
  });

  it('pause a campaign whose calls fail, with a webhook', async () => {
    const workspace = await aWorkspace(pool, { concurrent_calls: 10 });
    const id = await aDraft(workspace, {
      pacing: { reserve_percent: 0, breaker: { calls: 10, failure_percent: 60 } },
      webhook: { url: 'https://hooks.example.com/campaigns' },
    });
    await contacts().add(acting(workspace), id, numbered(40), 'refuse');
    await campaigns().start(acting(workspace), id);
    await eventually(
      () => callsOf(id),
      (found) => found.length === 10,
    );
    await endCalls(id, 'failed', 'service_unavailable');
    const paused = await eventually(
      () => progress(workspace, id),
      ({ status, contacts: { calling } }) => status === 'paused' && calling === 0,
    );
    expect(paused).toMatchObject({ pause_reason: 'failure_rate', outcomes: { failed: 10 }, contacts: { waiting: 40 } });
    const { rows } = await pool.query<{ event: string; sequence: number; body: string }>(
      `SELECT event, sequence, body FROM webhook_deliveries WHERE type = 'campaign' AND account_id = $1 ORDER BY sequence`,
      [workspace.accountId],
    );
    expect(rows.map(({ event }) => event)).toEqual(['started', 'paused']);
    expect(JSON.parse(rows[1]!.body)).toMatchObject({
      type: 'campaign',
      event: 'paused',
      sequence: 2,
      data: { campaign_id: id, pause_reason: 'failure_rate', attempts: 10 },
    });
    await campaigns().resume(acting(workspace), id);
    // The failed contacts wait for an hour; the others go on.
    await eventually(
      () => callsOf(id),
      (found) => found.length === 20,
    );
    const { next_attempt_at: next } = await progress(workspace, id);
    expect(Math.abs(Date.parse(next!) - Date.now())).toBeLessThan(60_000);
    await campaigns().cancel(acting(workspace), id);
  });

  it('wait for their windows, and look at them anew when the schedule changes', async () => {
    const workspace = await aWorkspace(pool);
    const today = new Date().toISOString().slice(0, 10);
    const near = [-1, 0, 1].map((days) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10));
    const id = await aDraft(workspace, { schedule: { excluded_dates: near } });
    await contacts().add(acting(workspace), id, numbered(5), 'refuse');
    await campaigns().start(acting(workspace), id);
    const waiting = await eventually(
      () => progress(workspace, id),
      ({ reasons }) => reasons.waiting_for_window === 5,
    );
    expect(new Date(waiting.next_attempt_at ?? 0).getTime()).toBeGreaterThan(Date.now());
    expect(await callsOf(id)).toEqual([]);
    await campaigns().update(acting(workspace), id, { schedule: { excluded_dates: [] } });
    await eventually(
      () => callsOf(id),
      (found) => found.length === 5,
    );
    await expect(campaigns().update(acting(workspace), id, { number_ids: [1] })).rejects.toThrow(
      'The number ids field cannot be changed while the campaign runs. Pause it first.',
    );
    await endCalls(id, 'no_answer', 'no_answer');
    await eventually(
      () => progress(workspace, id),
      ({ reasons }) => reasons.waiting_for_retry === 5,
    );
    const end = new Date(Date.now() + 500).toISOString();
    await campaigns().update(acting(workspace), id, { schedule: { end_at: end } });
    const ended = await eventually(
      () => progress(workspace, id),
      ({ status }) => status === 'completed',
    );
    expect(ended).toMatchObject({ contacts: { cancelled: 5 }, reasons: { campaign_ended: 5 } });
  });

  it('stop when the agent is made inactive', async () => {
    const workspace = await aWorkspace(pool);
    const id = await aDraft(workspace);
    await contacts().add(acting(workspace), id, numbered(2), 'refuse');
    await pool.query('UPDATE agents SET active = false WHERE id = $1', [workspace.agentId]);
    await expect(campaigns().start(acting(workspace), id)).rejects.toThrow(
      `The agent ${workspace.agentId} is not active.`,
    );
    await pool.query('UPDATE agents SET active = true WHERE id = $1', [workspace.agentId]);
    await pool.query('UPDATE accounts SET concurrent_calls = 1 WHERE id = $1', [workspace.accountId]);
    await campaigns().start(acting(workspace), id);
    await eventually(
      () => callsOf(id),
      (found) => found.length === 1,
    );
    await pool.query('UPDATE agents SET active = false WHERE id = $1', [workspace.agentId]);
    await endCalls(id, 'completed', 'normal_clearing');
    const paused = await eventually(
      () => progress(workspace, id),
      ({ status }) => status === 'paused',
    );
    expect(paused).toMatchObject({ pause_reason: 'agent_inactive', contacts: { reached: 1, waiting: 1 } });
  });

  it('call with the settings of the pinned version of the agent', async () => {
    const workspace = await aWorkspace(pool);
    const transfer = { transfer_enabled: true, transfer_phone_number: '+493099999' };
    await pool.query(
      `INSERT INTO agent_versions (account_id, agent_id, version, state, settings) VALUES ($1, $2, 3, 'superseded', $3)`,
      [workspace.accountId, workspace.agentId, JSON.stringify(transfer)],
    );
    const unknown = aDraft(workspace, { agent_version: 4 });
    await expect(unknown).rejects.toThrow('The agent has no such published version.');
    const id = await aDraft(workspace, { agent_version: 3 });
    await contacts().add(acting(workspace), id, numbered(1), 'refuse');
    await campaigns().start(acting(workspace), id);
    const [call] = await eventually(
      () => callsOf(id),
      (found) => found.length === 1,
    );
    expect(call).toMatchObject({ agent_version: 3, settings: { transfer: { phone_number: '+493099999' } } });
  });
});
