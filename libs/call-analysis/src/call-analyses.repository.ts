import type { AnalysisSettings } from '@app/agents';
import { analyticsRecount, type CostLine } from '@app/calls';
import { Database, entityPage, pgJson, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import {
  AnalysisBatchEntity,
  type AnalysisSource,
  type AnalysisStatus,
  type CallAnalysisEntity,
} from './call-analysis.entity.js';
import type { AnalysisResult } from './domain/analysis-result.js';

/** Versions that one call keeps; further ones are refused. */
export const MAX_VERSIONS = 50;

/** The columns that presenters and the runner need. */
const COLUMNS = `id, account_id, call_id, version, batch_id, settings, status, source, model, result, error_code, error_message, waiting_for,
  attempts, costs, cost_micros, created_at, started_at, finished_at`;

export type AnalysisRow = Omit<CallAnalysisEntity, 'due_at' | 'owner' | 'lease_until'>;
type Row = AnalysisRow & Record<string, unknown>;

/** What one attempt has cost. */
export interface AnalysisCost {
  lines: CostLine[];
  micros: number;
}

export interface FinishedAnalysis {
  status: Extract<AnalysisStatus, 'completed' | 'failed'>;
  source: AnalysisSource | null;
  model: string | null;
  result: AnalysisResult | null;
  error: { code: string; message: string } | null;
  cost: AnalysisCost;
}

const VERSIONS = {
  name: 'call-analyses',
  text: `SELECT ${COLUMNS} FROM call_analyses WHERE account_id = $1 AND call_id = $2 ORDER BY version DESC LIMIT $3`,
};

const COUNT = {
  name: 'count-call-analyses',
  text: 'SELECT count(*)::integer AS versions FROM call_analyses WHERE call_id = $1',
};

const ADD = {
  name: 'add-call-analysis',
  text: `INSERT INTO call_analyses (id, account_id, call_id, version, settings)
    SELECT $1, $2, $3, coalesce(max(version), 0) + 1, $4 FROM call_analyses WHERE call_id = $3::uuid RETURNING ${COLUMNS}`,
};

/**
 * Takes due rows: first those of accounts with the fewest running analyses, and of each account the oldest. The accounts are found by
 * steps through the partial index, so that a backlog of one account costs the others nothing.
 */
const CLAIM = {
  name: 'claim-call-analyses',
  text: `WITH RECURSIVE waiting AS (
      (SELECT account_id FROM call_analyses WHERE status = 'pending' ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT (SELECT n.account_id FROM call_analyses n WHERE n.status = 'pending' AND n.account_id > w.account_id
        ORDER BY n.account_id LIMIT 1) FROM waiting w WHERE w.account_id IS NOT NULL),
    busy AS (
      SELECT account_id, count(*) AS running FROM call_analyses WHERE status = 'running' GROUP BY account_id),
    taken AS MATERIALIZED (
      SELECT due.id, coalesce(b.running, 0) + row_number() OVER (PARTITION BY due.account_id ORDER BY due.due_at, due.id) AS place, due.due_at
        FROM waiting w LEFT JOIN busy b USING (account_id)
          CROSS JOIN LATERAL (
            SELECT id, account_id, due_at FROM call_analyses n
             WHERE n.status = 'pending' AND n.account_id = w.account_id AND n.due_at <= now()
             ORDER BY n.due_at, n.id LIMIT $3 FOR UPDATE SKIP LOCKED) due
       WHERE w.account_id IS NOT NULL)
    UPDATE call_analyses SET status = 'running', owner = $1, lease_until = now() + $2 * interval '1 ms', attempts = attempts + 1,
        waiting_for = NULL, started_at = coalesce(started_at, now())
      WHERE id IN (SELECT id FROM taken ORDER BY place, due_at LIMIT $3)
      RETURNING ${COLUMNS}`,
};

const RENEW = {
  name: 'renew-call-analyses',
  text: `UPDATE call_analyses SET lease_until = now() + $3 * interval '1 ms'
    WHERE id = ANY ($1::uuid[]) AND owner = $2 AND status = 'running'`,
};

/** Rows of processes that died. */
const RELEASE_LOST = {
  name: 'release-lost-analyses',
  text: `UPDATE call_analyses SET status = 'pending', owner = NULL, lease_until = NULL, due_at = now()
    WHERE status = 'running' AND lease_until < now() RETURNING id`,
};

const FINISH = {
  name: 'finish-call-analysis',
  text: `WITH changed AS (
      UPDATE call_analyses SET status = $3, source = $4, model = $5, result = $6, error_code = $7, error_message = $8,
          costs = costs || $9::jsonb, cost_micros = cost_micros + $10::bigint, finished_at = now(), owner = NULL, lease_until = NULL
        WHERE id = $1 AND owner = $2 AND status = 'running' RETURNING ${COLUMNS}),
    counted AS (${analyticsRecount(`(SELECT call_id FROM changed WHERE status = 'completed') AS recounted`)})
    SELECT ${COLUMNS} FROM changed`,
};

/** `$5` false: the attempt does not count. */
const POSTPONE = {
  name: 'postpone-call-analysis',
  text: `UPDATE call_analyses SET status = 'pending', waiting_for = $3, due_at = $4, owner = NULL, lease_until = NULL,
      attempts = attempts - CASE WHEN $5 THEN 0 ELSE 1 END, costs = costs || $6::jsonb, cost_micros = cost_micros + $7::bigint
    WHERE id = $1 AND owner = $2 AND status = 'running' RETURNING 1`,
};

const DELETE_OF_CALLS = {
  name: 'delete-analyses-of-calls',
  text: 'DELETE FROM call_analyses WHERE call_id = ANY ($1::uuid[])',
};

/** The answers of the newest completed analysis. Calls without one are left out: what was counted of them stays. */
const NEWEST_RUBRICS = {
  name: 'newest-rubric-answers',
  text: `SELECT DISTINCT ON (n.call_id) n.call_id, (
        SELECT coalesce(jsonb_agg(jsonb_build_object('name', q ->> 'name', 'type', q ->> 'type',
            'answer', left(coalesce(q ->> 'value', ''), 100)) ORDER BY place), '[]')
          FROM jsonb_array_elements(coalesce(n.result -> 'rubric', '[]')) WITH ORDINALITY AS asked (q, place)) AS rubric
    FROM call_analyses n WHERE n.call_id = ANY ($1::uuid[]) AND n.status = 'completed'
    ORDER BY n.call_id, n.version DESC`,
};

/** A question of a rubric with its answer, shortened. */
export interface RubricAnswer {
  name: string;
  type: string;
  answer: string;
}

const ADD_BATCH = {
  name: 'add-analysis-batch',
  text: 'INSERT INTO analysis_batches (id, account_id, filter, settings, calls) VALUES ($1, $2, $3, $4, 0)',
};

const ADD_TO_BATCH = {
  name: 'add-analyses-of-batch',
  text: `WITH added AS (
      INSERT INTO call_analyses (id, account_id, call_id, version, batch_id, settings)
      SELECT gen_random_uuid(), $1, f.id, last.version + 1, $2, ($5::text[])[f.place]::jsonb
        FROM unnest($3::uuid[], $4::integer[]) AS f (id, place)
          CROSS JOIN LATERAL (SELECT coalesce(max(n.version), 0) AS version FROM call_analyses n WHERE n.call_id = f.id) last
       WHERE last.version < ${MAX_VERSIONS}
      ON CONFLICT DO NOTHING RETURNING 1)
    SELECT count(*)::integer AS added FROM added`,
};

interface BatchOfAccount {
  id: string;
  accountId: number;
}

/** A call of a batch with what is to be read out of it. */
export interface BatchedCall {
  callId: string;
  settings: Partial<AnalysisSettings>;
}

const COUNT_BATCH = { name: 'count-analysis-batch', text: 'UPDATE analysis_batches SET calls = $2 WHERE id = $1' };

const BATCH_TOTALS = {
  name: 'analysis-batch-totals',
  text: `SELECT batch_id, status, count(*)::integer AS analyses, sum(cost_micros)::bigint AS cost_micros FROM call_analyses
    WHERE batch_id = ANY ($1::uuid[]) GROUP BY batch_id, status`,
};

const PURGE_BATCHES = {
  name: 'purge-analysis-batches',
  text: `DELETE FROM analysis_batches WHERE id IN (
      SELECT id FROM analysis_batches WHERE created_at < now() - interval '90 days' ORDER BY created_at LIMIT 1000)`,
};

/** A batch with its analyses, as far as their calls exist. */
export interface BatchRow extends Omit<AnalysisBatchEntity, 'accountId'> {
  counts: Partial<Record<AnalysisStatus, number>>;
  costMicros: number;
}

/** Analyses of calls. Prepared: each answered call of an agent with an analysis runs them. */
@Injectable()
export class CallAnalysesRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(AnalysisBatchEntity) private readonly batches: Repository<AnalysisBatchEntity>,
  ) {}

  /** Newest first. */
  versions(accountId: number, callId: string, limit: number): Promise<AnalysisRow[]> {
    return this.database.rows<Row>(VERSIONS, [accountId, callId, limit]);
  }

  /** Of a call. */
  async countVersions(callId: string, tx: Sql): Promise<number> {
    const [row] = await this.database.rows<{ versions: number }>(COUNT, [callId], tx);
    return row?.versions ?? 0;
  }

  async add(id: string, accountId: number, callId: string, settings: AnalysisSettings, tx: Sql): Promise<AnalysisRow> {
    const [row] = await this.database.rows<Row>(ADD, [id, accountId, callId, pgJson(settings)], tx);
    return row!;
  }

  claim(owner: string, leaseMs: number, limit: number): Promise<AnalysisRow[]> {
    return this.database.rows<Row>(CLAIM, [owner, leaseMs, limit]);
  }

  async renew(ids: readonly string[], owner: string, leaseMs: number): Promise<void> {
    await this.database.rows(RENEW, [ids, owner, leaseMs]);
  }

  /** Returns how many rows of dead processes are pending again. */
  async releaseLost(): Promise<number> {
    return (await this.database.rows(RELEASE_LOST)).length;
  }

  async newestRubrics(callIds: readonly string[], tx: Sql): Promise<Map<string, RubricAnswer[]>> {
    const found = await this.database.rows<{ call_id: string; rubric: RubricAnswer[] }>(NEWEST_RUBRICS, [callIds], tx);
    return new Map(found.map(({ call_id: id, rubric }) => [id, rubric]));
  }

  async deleteOfCalls(callIds: readonly string[], tx: Sql): Promise<void> {
    await this.database.rows(DELETE_OF_CALLS, [callIds], tx);
  }

  /** Undefined: another process has taken it over, or the call was deleted. */
  async finish(id: string, owner: string, done: FinishedAnalysis, tx: Sql): Promise<AnalysisRow | undefined> {
    const { status, source, model, result, error, cost } = done;
    const outcome = [status, source, model, result && pgJson(result), error?.code ?? null, error?.message ?? null];
    const values = [id, owner, ...outcome, JSON.stringify(cost.lines), cost.micros];
    const [row] = await this.database.rows<Row>(FINISH, values, tx);
    return row;
  }

  /** Returns it to the queue until `until`. False: another process has taken it over, or the call was deleted. */
  async postpone(
    id: string,
    owner: string,
    {
      reason,
      until,
      counts,
      cost,
    }: { reason: 'retry' | 'spend_limit'; until: Date; counts: boolean; cost: AnalysisCost },
    tx: Sql,
  ): Promise<boolean> {
    const values = [id, owner, reason, until, counts, JSON.stringify(cost.lines), cost.micros];
    return (await this.database.rows(POSTPONE, values, tx)).length > 0;
  }

  async addBatch(
    batch: { id: string; accountId: number; filter: object; settings?: AnalysisSettings },
    tx: Sql,
  ): Promise<void> {
    const settings = batch.settings === undefined ? null : pgJson(batch.settings);
    await this.database.rows(ADD_BATCH, [batch.id, batch.accountId, pgJson(batch.filter), settings], tx);
  }

  /** Queues analyses of calls; those that have as many as they may have are left out. @returns the number of analyses. */
  async addToBatch({ id, accountId }: BatchOfAccount, calls: readonly BatchedCall[], tx: Sql): Promise<number> {
    // The settings of most calls are the same.
    const settings = [...new Set(calls.map((call) => call.settings))];
    const places = calls.map((call) => settings.indexOf(call.settings) + 1);
    const values = [accountId, id, calls.map(({ callId }) => callId), places, settings.map(pgJson)];
    const [counts] = await this.database.rows<{ added: number }>(ADD_TO_BATCH, values, tx);
    const added = counts?.added ?? 0;
    await this.database.rows(COUNT_BATCH, [id, added], tx);
    return added;
  }

  async batch(accountId: number, id: string): Promise<BatchRow | undefined> {
    const [batch] = await this.withTotals(await this.batches.findBy({ accountId, id }));
    return batch;
  }

  /** Newest first. */
  async batchPage(
    accountId: number,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ batches: BatchRow[]; total: number }> {
    const query = this.batches.createQueryBuilder('batch').where({ accountId }).orderBy('batch.id', 'DESC');
    const [found, total] = await entityPage(query, { limit: perPage, offset: (page - 1) * perPage });
    return { batches: await this.withTotals(found), total };
  }

  private async withTotals(batches: readonly AnalysisBatchEntity[]): Promise<BatchRow[]> {
    if (batches.length === 0) return [];
    type Total = { batch_id: string; status: AnalysisStatus; analyses: number; cost_micros: string };
    const totals = await this.database.rows<Total>(BATCH_TOTALS, [batches.map(({ id }) => id)]);
    return batches.map(({ id, filter, settings, calls, createdAt }) => {
      const own = totals.filter(({ batch_id: batch }) => batch === id);
      return {
        ...{ id, filter, settings, calls, createdAt },
        counts: Object.fromEntries(own.map(({ status, analyses }) => [status, analyses])),
        costMicros: own.reduce((sum, { cost_micros: micros }) => sum + Number(micros), 0),
      };
    });
  }

  async purgeBatches(): Promise<void> {
    await this.database.rows(PURGE_BATCHES);
  }
}
