import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CallBacklogRepository, DialersService } from '@app/calls';
import { loadEnv, newId } from '@app/common';
import { metricsText } from '@app/metrics';
import { TrunkStatesRepository } from '@app/accounts';
import { CampaignStatesRepository } from '@app/campaigns';
import { INVARIANT_NAMES, INVARIANTS, InvariantsRepository } from '@app/database';
import { DocumentBacklogRepository } from '@app/knowledge';
import { WebhookBacklogRepository } from '@app/webhooks';
import { ToolInvocationsService, ToolsModule } from '@app/tools';
import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { BacklogService } from './backlog.service.js';
import { QueueStatesService } from '@app/queue';
import { MonitoringService } from './monitoring.service.js';
import { databaseOver } from '../../../test/support/database-over.js';
import { DialledCalls } from '../../../test/support/dialled-calls.js';
import { aCall, type Workspace } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { openServices } from '../../../test/support/services.js';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

let calls: DialledCalls;
let pool: Pool;
let dialers: DialersService;
let invariants: InvariantsRepository;
let backlog: BacklogService;
let own: Workspace;
let logs: LogLines;

beforeAll(async () => {
  calls = await DialledCalls.open();
  ({ pool, own } = calls);
  const { services } = calls;
  dialers = services.get(DialersService);
  invariants = services.get(InvariantsRepository);
  const database = databaseOver(pool);
  backlog = new BacklogService(
    new CallBacklogRepository(database),
    new WebhookBacklogRepository(database),
    new DocumentBacklogRepository(database),
    new TrunkStatesRepository(database),
    new CampaignStatesRepository(database),
  );
});
afterAll(() => calls.close());
beforeEach(async () => {
  logs = new LogLines();
  await pool.query('TRUNCATE calls, webhook_streams, knowledge_bases, tool_invocations CASCADE');
  await pool.query(`DELETE FROM dialers WHERE id <> 'alive'`);
});

const broken = async () => {
  const counts = await Promise.all(
    INVARIANT_NAMES.map(async (name) => [name, await invariants.countBroken(name)] as const),
  );
  return Object.fromEntries(counts.filter(([, n]) => n > 0));
};

async function anInvocation(at: Date): Promise<string> {
  const id = newId();
  await pool.query(
    `INSERT INTO tool_invocations (id, account_id, agent_id, tool_id, tool_name, source, arguments, started_at)
     VALUES ($1, $2, $3, 1, 'ask', 'invoke', '{}', $4)`,
    [id, own.accountId, own.agentId, at],
  );
  return id;
}

async function aStream(dueAt: Date, leaseUntil: Date | null): Promise<void> {
  await pool.query(
    `INSERT INTO webhook_streams (account_id, url, host, next_at, lease_until) VALUES ($1, 'https://x/' || gen_random_uuid(), 'x', $2, $3)`,
    [own.accountId, dueAt, leaseUntil],
  );
}

async function aDocument(status: 'pending' | 'processing', at: Date): Promise<void> {
  await pool.query(
    `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, status, lease_until, next_attempt_at)
     VALUES ($1, $2, 'Handbook', 'text', $3, $4, $5)`,
    [own.accountId, own.agentId, status, status === 'processing' ? at : null, status === 'pending' ? at : null],
  );
}

describe('the invariants', () => {
  it('hold while calls, deliveries and documents are in progress', async () => {
    await calls.add({});
    await calls.add({ answered_at: null, status: 'ringing' });
    await aCall(pool, own);
    await anInvocation(minutesAgo(1));
    await aStream(minutesAgo(1), null);
    await aStream(minutesAgo(20), new Date(Date.now() + 10_000));
    await aDocument('processing', new Date(Date.now() + 10_000));
    await aDocument('pending', minutesAgo(10));
    expect(await broken()).toEqual({});
  });

  it.each<[string, () => Promise<unknown>, object]>([
    [
      'a call whose dialer is dead',
      async () => {
        await pool.query(`INSERT INTO dialers (id, lease_until, dead_at) VALUES ('dead', $1, $1)`, [minutesAgo(2)]);
        await calls.add({ owner: 'dead' });
      },
      { calls_stuck: 1 },
    ],
    ['a call that lasts on and on', () => calls.add({ answered_at: minutesAgo(25) }), { calls_stuck: 1 }],
    [
      'a phone that rings for too long',
      () => calls.add({ status: 'ringing', answered_at: null, started_at: minutesAgo(20) }),
      { calls_stuck: 1 },
    ],
    [
      'a lost dialer that was not swept',
      () => pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('gone', $1)`, [minutesAgo(1)]),
      { dialers_lost: 1 },
    ],
    ['a stream that is due', () => aStream(minutesAgo(6), null), { deliveries_overdue: 1 }],
    ['a stream whose holder died', () => aStream(minutesAgo(6), minutesAgo(6)), { deliveries_overdue: 1 }],
    ['a document whose worker died', () => aDocument('processing', minutesAgo(2)), { documents_stuck: 1 }],
    ['a document that waits for an hour', () => aDocument('pending', minutesAgo(61)), { documents_stuck: 1 }],
    ['an invocation whose process died', () => anInvocation(minutesAgo(16)), { tool_actions_stuck: 1 }],
  ])('are broken by %s', async (_, make, expected) => {
    await make();
    expect(await broken()).toEqual(expected);
  });

  it.each(INVARIANT_NAMES)('the check of %s uses indexes only', async (name) => {
    const client = await pool.connect();
    try {
      await client.query('SET enable_seqscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${INVARIANTS[name].text}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      const scanned = [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table]) => table);
      // A handful of rows each, however long the others are.
      expect(scanned.filter((table) => table !== 'dialers' && table !== 'accounts')).toEqual([]);
    } finally {
      client.release(true);
    }
  });

  it('are exported as metrics, with the backlog', async () => {
    await aStream(minutesAgo(6), null);
    await aCall(pool, own, { created_at: minutesAgo(3) });
    await calls.add({});
    await new MonitoringService(invariants, backlog, new QueueStatesService([]), loadEnv({}), logs.log).readDatabase();
    const { text } = await metricsText();
    expect(text).toMatch(/^trunkline_deliveries_overdue 1$/m);
    expect(text).toMatch(/^trunkline_calls_stuck 0$/m);
    expect(text).toMatch(/^trunkline_calls\{status="pending"\} 1$/m);
    expect(text).toMatch(/^trunkline_calls\{status="in_progress"\} 1$/m);
    expect(text).toMatch(/^trunkline_queue_depth\{queue="deliveries"\} 1$/m);
    expect(text).toMatch(/^trunkline_queue_oldest_seconds\{queue="calls"\} 1[789]\d/m);
    expect((await backlog.read()).trunks).toEqual({ up: 0, down: 0, unknown: 1 });
  });

  it('counts the calls that the stop of a dialer cut in the last 15 minutes, by an index', async () => {
    const ended = (cause: string, minutes: number) =>
      aCall(pool, own, { status: 'completed', hangup_cause: cause, ended_at: minutesAgo(minutes) });
    await Promise.all([ended('drained', 1), ended('drained', 14), ended('drained', 16), ended('normal_clearing', 1)]);
    await new MonitoringService(invariants, backlog, new QueueStatesService([]), loadEnv({}), logs.log).readDatabase();
    expect((await metricsText()).text).toMatch(/^trunkline_calls_cut_off 2$/m);
    const { rows } = await pool.query<{ indexdef: string }>(
      `SELECT indexdef FROM pg_indexes WHERE indexname = 'calls_drained'`,
    );
    expect(rows[0]?.indexdef).toMatch(/\(ended_at\) WHERE \(hangup_cause = 'drained'/);
  });
});

describe('the sweepers', () => {
  it('end a call that was not dialled within a day', async () => {
    const old = await aCall(pool, own, { id: uuidv7({ msecs: minutesAgo(24 * 60 + 1).getTime() }) });
    const recent = await aCall(pool, own);
    await dialers.endExpiredCalls();
    expect(await calls.endOf(old)).toEqual({ status: 'failed', hangup_cause: 'queue_expired', owner: null });
    expect(await calls.endOf(recent)).toMatchObject({ status: 'pending' });
  });

  it('end an invocation whose process died, with the error that nothing more was sent', async () => {
    const [old, recent] = [await anInvocation(minutesAgo(11)), await anInvocation(minutesAgo(1))];
    const services = await openServices({ DATABASE_URL: calls.database.url }, [ToolsModule]);
    expect(await services.get(ToolInvocationsService).endAbandoned()).toEqual([old]);
    await services.close();
    const { rows } = await pool.query('SELECT id, ok, result FROM tool_invocations WHERE ended_at IS NOT NULL');
    expect(rows).toEqual([{ id: old, ok: false, result: { error: expect.objectContaining({ code: 'aborted' }) } }]);
    expect(recent).toBeDefined();
  });

  it('end the live calls of a dead dialer', async () => {
    await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('late', $1)`, [minutesAgo(1)]);
    const call = await calls.add({ owner: 'late' });
    await dialers.endLostCalls();
    expect(await calls.endOf(call)).toMatchObject({ status: 'failed', hangup_cause: 'worker_lost' });
    expect(await broken()).toEqual({});
  });
});
