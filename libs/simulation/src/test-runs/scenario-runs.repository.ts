import type { RetentionPeriod } from '@app/accounts';
import type { AgentOfAccount } from '@app/common';
import { Database, entityPage, type EntityTransaction, pgJson, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type QueryDeepPartialEntity, Repository } from 'typeorm';
import type { ConversationReport } from './domain/conversation-report.js';
import type { PlannedConversation, RunStatus, TestPlan } from './domain/test-plan.js';
import { TestConversationEntity, TestRunEntity } from './test-run.entity.js';

export interface RunOfAgent extends AgentOfAccount {
  id: string;
}

/** A run that this worker plays. */
export interface ClaimedRun {
  id: string;
  account_id: number;
  agent_id: number;
  agent_version: number | null;
  plan: TestPlan;
  attempts: number;
  lease_owner: string;
}

/** Results of one scenario of a run. */
export interface ScenarioCounts {
  scenario: number;
  played: number;
  passes: number;
  errors: number;
}

const OPEN = `status IN ('queued', 'running')`;

/**
 * The oldest open run of the next account after `$3` without a run in progress: accounts take turns, however many runs they have. A loose
 * index scan finds the accounts. A run with an expired lease is due again, so that a killed worker loses nothing.
 */
const CLAIM = {
  name: 'claim-scenario-run',
  text: `WITH RECURSIVE waiting AS (
      (SELECT account_id FROM test_runs WHERE ${OPEN} ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT (SELECT r.account_id FROM test_runs r WHERE r.${OPEN} AND r.account_id > a.account_id
               ORDER BY r.account_id LIMIT 1)
        FROM waiting a WHERE a.account_id IS NOT NULL),
    due AS (
      SELECT a.account_id, d.id FROM waiting a CROSS JOIN LATERAL (
        SELECT r.id FROM test_runs r WHERE r.account_id = a.account_id AND r.${OPEN} AND r.lease_until <= now()
         ORDER BY r.id LIMIT 1) d
       WHERE NOT EXISTS (SELECT FROM test_runs r
                          WHERE r.account_id = a.account_id AND r.${OPEN} AND r.lease_until > now() AND r.lease_owner IS NOT NULL)),
    picked AS (
      SELECT r.id FROM due d JOIN test_runs r ON r.id = d.id
       WHERE r.${OPEN} AND r.lease_until <= now() ORDER BY d.account_id <= $3, d.account_id LIMIT 1
         FOR NO KEY UPDATE OF r SKIP LOCKED)
    UPDATE test_runs r SET status = 'running', lease_owner = $1, lease_until = now() + $2 * interval '1 ms',
        attempts = r.attempts + 1, started_at = coalesce(r.started_at, now())
      FROM picked WHERE r.id = picked.id
    RETURNING r.id, r.account_id, r.agent_id, r.agent_version, r.plan, r.attempts, r.lease_owner`,
};

const RENEW = {
  name: 'renew-scenario-run',
  text: `UPDATE test_runs SET lease_until = now() + $3 * interval '1 ms'
    WHERE id = $1 AND lease_owner = $2 AND status = 'running' RETURNING 1`,
};

const RELEASE = {
  name: 'release-scenario-run',
  text: `UPDATE test_runs SET lease_owner = NULL, lease_until = now() + $3 * interval '1 ms'
    WHERE id = $1 AND lease_owner = $2 AND status = 'running'`,
};

/** Nothing is stored without the lease. A repeated result of a killed worker is stored once. */
const STORE = {
  name: 'store-test-conversation',
  text: `WITH run AS (
      SELECT id, account_id FROM test_runs WHERE id = $1 AND lease_owner = $2 AND status = 'running' FOR NO KEY UPDATE),
    stored AS (
      INSERT INTO test_conversations (run_id, account_id, scenario, repetition, passed, report)
      SELECT id, account_id, $3::integer, $4::integer, $5::boolean, $6::jsonb FROM run
      ON CONFLICT (run_id, scenario, repetition) DO NOTHING RETURNING run_id),
    counted AS (
      UPDATE test_runs r SET played = r.played + 1, passes = r.passes + $5::boolean::integer, cost_micros = r.cost_micros + $7::bigint
        FROM stored WHERE r.id = stored.run_id)
    SELECT 1 FROM run`,
};

const PLAYED = {
  name: 'played-test-conversations',
  text: 'SELECT scenario, repetition FROM test_conversations WHERE run_id = $1',
};

const COUNTS = {
  name: 'test-conversation-counts',
  text: `SELECT scenario, count(*)::integer AS played, count(*) FILTER (WHERE passed)::integer AS passes,
      count(*) FILTER (WHERE report ->> 'error' IS NOT NULL)::integer AS errors
    FROM test_conversations WHERE run_id = $1 GROUP BY scenario`,
};

/** `$2`: the lease of the worker; null: any. The copy of the scenarios, which is not redacted, ends with the run: only its names are still shown. */
const END = {
  name: 'end-scenario-run',
  text: `UPDATE test_runs SET status = $3, problem = $4, ended_at = now(), lease_owner = NULL, plan = jsonb_set(plan, '{files}', '{}')
    WHERE id = $1 AND ${OPEN} AND ($2::text IS NULL OR lease_owner = $2) RETURNING 1`,
};

const COUNT_OPEN = {
  name: 'count-open-scenario-runs',
  text: `SELECT count(*)::integer AS runs FROM test_runs WHERE account_id = $1 AND ${OPEN}`,
};

/** Runs are kept for 90 days, or as long as the transcripts of calls where that is shorter. */
const DELETE_EXPIRED = {
  name: 'delete-expired-scenario-runs',
  text: `WITH RECURSIVE owners AS (
      (SELECT account_id FROM test_runs WHERE ended_at IS NOT NULL ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT next.account_id FROM owners o CROSS JOIN LATERAL (
        SELECT account_id FROM test_runs WHERE ended_at IS NOT NULL AND account_id > o.account_id
         ORDER BY account_id LIMIT 1) next),
    expired AS (
      SELECT r.id FROM owners o LEFT JOIN unnest($1::integer[], $2::integer[]) AS p (account_id, days) USING (account_id)
        CROSS JOIN LATERAL (
          SELECT id FROM test_runs WHERE account_id = o.account_id
             AND ended_at < now() - least(p.days, 90) * interval '1 day' ORDER BY ended_at LIMIT 20) r LIMIT 100),
    deleted AS (DELETE FROM test_runs r USING expired WHERE r.id = expired.id RETURNING 1)
    SELECT count(*)::integer AS runs FROM deleted`,
};

/** The rows of test runs and their conversations. Workers share the runs by leases on the database's clock. */
@Injectable()
export class ScenarioRunsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(TestRunEntity) private readonly runs: Repository<TestRunEntity>,
    @InjectRepository(TestConversationEntity) private readonly conversations: Repository<TestConversationEntity>,
  ) {}

  /** Newest first. */
  page(
    accountId: number,
    agentId: number,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<[TestRunEntity[], number]> {
    const query = this.runs.createQueryBuilder('run').where({ accountId, agentId }).orderBy('run.id', 'DESC');
    return entityPage(query, { limit: perPage, offset: (page - 1) * perPage });
  }

  async find({ accountId, agentId, id }: RunOfAgent, tx?: EntityTransaction): Promise<TestRunEntity | undefined> {
    const runs = tx?.manager.getRepository(TestRunEntity) ?? this.runs;
    return (await runs.findOneBy({ accountId, agentId, id })) ?? undefined;
  }

  /** In the order of the plan; optionally of one scenario, or only the failed ones. */
  conversationPage(
    runId: string,
    filter: { scenario?: number; passed?: boolean },
    { page, perPage }: { page: number; perPage: number },
  ): Promise<[TestConversationEntity[], number]> {
    const { scenario, passed } = filter;
    const where = { runId, ...(scenario !== undefined && { scenario }), ...(passed !== undefined && { passed }) };
    const query = this.conversations.createQueryBuilder('conversation').where(where);
    query.orderBy('conversation.scenario').addOrderBy('conversation.repetition');
    return entityPage(query, { limit: perPage, offset: (page - 1) * perPage });
  }

  async insert(run: Partial<TestRunEntity>, tx: EntityTransaction): Promise<void> {
    await tx.manager.insert(TestRunEntity, run as QueryDeepPartialEntity<TestRunEntity>);
  }

  async countOpen(accountId: number, tx: Sql): Promise<number> {
    const [found] = await this.database.rows<{ runs: number }>(COUNT_OPEN, [accountId], tx);
    return found?.runs ?? 0;
  }

  async claim(owner: string, leaseMs: number, afterAccount: number): Promise<ClaimedRun | undefined> {
    const values = [owner, leaseMs, afterAccount];
    const [claimed] = await this.database.rows<ClaimedRun & Record<string, unknown>>(CLAIM, values);
    return claimed;
  }

  /** False: the run was cancelled, or another worker has it. */
  async renew({ id, lease_owner }: ClaimedRun, leaseMs: number): Promise<boolean> {
    return (await this.database.rows(RENEW, [id, lease_owner, leaseMs])).length > 0;
  }

  /** Another worker may take the run after so many milliseconds. */
  async release({ id, lease_owner }: ClaimedRun, againMs: number): Promise<void> {
    await this.database.rows(RELEASE, [id, lease_owner, againMs]);
  }

  async played(runId: string): Promise<PlannedConversation[]> {
    return this.database.rows<PlannedConversation & Record<string, unknown>>(PLAYED, [runId]);
  }

  /** False: the lease is lost, nothing was stored. */
  async store(
    { id, lease_owner }: ClaimedRun,
    { scenario, repetition }: PlannedConversation,
    passed: boolean,
    report: ConversationReport,
  ): Promise<boolean> {
    const values = [id, lease_owner, scenario, repetition, passed, pgJson(report), report.costMicros];
    return (await this.database.rows(STORE, values)).length > 0;
  }

  async counts(runId: string, tx?: Sql): Promise<ScenarioCounts[]> {
    return this.database.rows<ScenarioCounts & Record<string, unknown>>(COUNTS, [runId], tx);
  }

  /** `leaseOwner`: absent for a cancellation. False: the run is over, or the lease is lost. */
  async end(
    { id, lease_owner: leaseOwner }: Pick<ClaimedRun, 'id'> & { lease_owner?: string },
    status: RunStatus,
    problem: string | null,
    tx: Sql,
  ): Promise<boolean> {
    return (await this.database.rows(END, [id, leaseOwner ?? null, status, problem], tx)).length > 0;
  }

  /** `transcripts`: of the accounts that limit the retention of their transcripts. */
  async deleteExpired(transcripts: readonly RetentionPeriod[]): Promise<number> {
    const values = [transcripts.map(({ accountId }) => accountId), transcripts.map(({ days }) => days)];
    const [deleted] = await this.database.rows<{ runs: number }>(DELETE_EXPIRED, values);
    return deleted?.runs ?? 0;
  }
}
