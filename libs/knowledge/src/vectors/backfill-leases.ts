import { inTransaction, rows, type Sql } from '@app/database';
import type { Pool } from 'pg';
import { raiseKnowledgeVersion } from '../generations.js';

/** A knowledge base whose vectors somebody is completing. */
export interface Backfill {
  id: number;
  account_id: number;
  agent_id: number;
  /** The generation that is served, and completed. */
  serving: number;
  chunk_count: number;
}

export interface BackfillLease {
  owner: string;
  leaseMs: number;
}

const FREE = 'serving IS NOT NULL AND (vectors_until IS NULL OR vectors_until < now())';
const STALE = 'serving IS DISTINCT FROM vectors_generation OR vectors_model IS DISTINCT FROM $1';

// Three looks into two small indexes: what was never completed, and what is of a model before or after this one by name.
const CLAIM = {
  name: 'claim-backfill',
  text: `UPDATE knowledge_bases SET vectors_owner = $2, vectors_until = now() + $3 * interval '1 ms'
    WHERE id = (SELECT id FROM knowledge_bases WHERE id IN (
        (SELECT id FROM knowledge_bases WHERE ${FREE} AND serving IS DISTINCT FROM vectors_generation ORDER BY id LIMIT 20)
        UNION ALL (SELECT id FROM knowledge_bases WHERE ${FREE} AND vectors_model < $1 ORDER BY vectors_model, id LIMIT 20)
        UNION ALL (SELECT id FROM knowledge_bases WHERE ${FREE} AND vectors_model > $1 ORDER BY vectors_model, id LIMIT 20))
      AND ${FREE} AND (${STALE}) ORDER BY vectors_until NULLS FIRST, agent_id, id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, account_id, agent_id, serving, chunk_count`,
};

/** Takes a knowledge base that has not all its vectors of a model, one agent's after the other; undefined: there is none. */
export async function claimBackfill(sql: Sql, model: string, lease: BackfillLease): Promise<Backfill | undefined> {
  const [claimed] = await rows<Backfill & Record<string, unknown>>(sql, CLAIM, [model, lease.owner, lease.leaseMs]);
  return claimed;
}

const HELD = 'id = $1 AND vectors_owner = $2 AND serving = $3';
const RENEW = {
  name: 'renew-backfill',
  text: `UPDATE knowledge_bases SET vectors_until = now() + $4 * interval '1 ms' WHERE ${HELD}`,
};

/** False: deleted, superseded by a new generation, or somebody else's. */
export async function renewBackfill(sql: Sql, { id, serving }: Backfill, lease: BackfillLease): Promise<boolean> {
  const { rowCount } = await sql.query({ ...RENEW, values: [id, lease.owner, serving, lease.leaseMs] });
  return rowCount === 1;
}

const TELL = {
  name: 'tell-backfill',
  text: `UPDATE knowledge_bases SET vectors_unannounced = true,
      stage = CASE WHEN status = 'completed' THEN 'reindex' ELSE stage END,
      progress = CASE WHEN status = 'completed' THEN $4 ELSE progress END
    WHERE ${HELD}`,
};

/** Shows on the record how far it is, unless a new generation is being built: then that one's stage is shown. */
export async function tellBackfill(sql: Sql, { id, serving }: Backfill, owner: string, percent: number): Promise<void> {
  await rows(sql, TELL, [id, owner, serving, percent]);
}

const NOT_TOLD = `stage = CASE WHEN stage = 'reindex' THEN NULL ELSE stage END,
  progress = CASE WHEN stage = 'reindex' THEN 100 ELSE progress END, vectors_owner = NULL`;
const RELEASE = {
  name: 'release-backfill',
  text: `UPDATE knowledge_bases SET vectors_until = NULL, ${NOT_TOLD} WHERE id = $1 AND vectors_owner = $2`,
};

export async function releaseBackfill(sql: Sql, { id }: Backfill, owner: string): Promise<void> {
  await rows(sql, RELEASE, [id, owner]);
}

const FINISH = {
  name: 'finish-backfill',
  text: `UPDATE knowledge_bases SET vectors_generation = serving, vectors_model = $4, vectors_until = NULL, ${NOT_TOLD}
    WHERE ${HELD}`,
};
const LOCK_AGENT = { name: 'lock-agent', text: 'SELECT 1 FROM agents WHERE account_id = $1 AND id = $2 FOR UPDATE' };
const MORE = {
  name: 'more-backfill',
  text: `SELECT 1 FROM knowledge_bases WHERE account_id = $2 AND agent_id = $3 AND serving IS NOT NULL AND (${STALE}) LIMIT 1`,
};

const ANNOUNCED = {
  name: 'announce-backfill',
  text: `UPDATE knowledge_bases SET vectors_unannounced = false WHERE account_id = $1 AND agent_id = $2 AND vectors_unannounced`,
};

/**
 * Marks it as complete. Searches are told (by the agent's version) with the last of an agent's knowledge bases: each telling makes
 * every process read the agent's index anew.
 */
export async function finishBackfill(pool: Pool, work: Backfill, owner: string, model: string): Promise<void> {
  const { id, account_id, agent_id, serving } = work;
  await inTransaction(pool, async (tx) => {
    const finished = await tx.query({ ...FINISH, values: [id, owner, serving, model] });
    // A new generation is served, or is gone: whoever comes next begins with that.
    if (finished.rowCount === 0) return releaseBackfill(tx, work, owner);
    // Of two that finish at once the second sees the first.
    await rows(tx, LOCK_AGENT, [account_id, agent_id]);
    if ((await rows(tx, MORE, [model, account_id, agent_id])).length > 0) return;
    const { rowCount } = await tx.query({ ...ANNOUNCED, values: [account_id, agent_id] });
    if (rowCount) await raiseKnowledgeVersion(tx, account_id, agent_id);
  });
}
