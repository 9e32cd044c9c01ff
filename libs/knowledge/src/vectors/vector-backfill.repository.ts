import type { AgentOfAccount } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { KnowledgeChunksRepository } from '../knowledge-chunks.repository.js';
import { getsVector } from '../limits.js';

/** A knowledge base with missing vectors, claimed by a worker. */
export interface Backfill {
  id: number;
  account_id: number;
  agent_id: number;
  /** The serving generation. */
  serving: number;
  /** The chunks up to this ordinal were given to the model. */
  vectors_ordinal: number;
}

export interface BackfillLease {
  owner: string;
  leaseMs: number;
}

interface ChunkWithoutVector {
  id: string;
  ordinal: number;
  text: string;
  headingPath: string[];
}

/** Chunks that one unit reads: most of a changed document have known vectors. */
export const CHUNKS_PER_UNIT = 256;
const STALE_PER_STATEMENT = 100;
const UNANNOUNCED_PER_ROUND = 100;

/** As in the indexes. */
const DUE = 'serving IS NOT NULL AND serving IS DISTINCT FROM vectors_generation';
const SIZE = `width_bucket(vectors_of - vectors_done, '{33,513,8193}'::integer[])`;
const FREE = '(vectors_until IS NULL OR vectors_until < now())';

/** More than one candidate per turn, because another worker may be claiming the first ones. */
const turn = (at: number, condition: string): string =>
  `(SELECT ${at} AS turn, row_number() OVER () AS place, id FROM (
      SELECT id FROM knowledge_bases WHERE ${DUE} AND ${FREE} AND ${condition}
       ORDER BY account_id, ${SIZE}, updated_at DESC, id LIMIT 4) candidates)`;

/**
 * Accounts take turns: the next one after the account of the last unit. Of an account, documents with few missing passages come first,
 * and of those the newest; before all of them, those that do not wait with the whole installation for a new model.
 */
const CLAIM = {
  name: 'claim-backfill',
  text: `WITH due AS (${[
    turn(1, 'NOT vectors_backlog AND account_id > $3'),
    turn(2, 'NOT vectors_backlog AND account_id <= $3'),
    turn(3, 'vectors_backlog AND account_id > $3'),
    turn(4, 'vectors_backlog AND account_id <= $3'),
  ].join(' UNION ALL ')}),
    picked AS (
      SELECT k.id FROM due JOIN knowledge_bases k ON k.id = due.id
       WHERE ${DUE} AND ${FREE}
       ORDER BY due.turn, due.place LIMIT 1 FOR NO KEY UPDATE OF k SKIP LOCKED)
    UPDATE knowledge_bases k SET vectors_owner = $1, vectors_until = now() + $2 * interval '1 ms'
      FROM picked WHERE k.id = picked.id
    RETURNING k.id, k.account_id, k.agent_id, k.serving, k.vectors_ordinal, k.vectors_model`,
};

/** Vectors of two models cannot be compared: complete documents of another model are due again. Their status stays `completed`. */
const MARK_STALE = {
  name: 'mark-stale-vectors',
  text: `UPDATE knowledge_bases SET vectors_generation = NULL, vectors_model = NULL, vectors_done = 0, vectors_ordinal = -1,
      vectors_backlog = true, stage = CASE WHEN status = 'completed' THEN 'reindex' ELSE stage END,
      progress = CASE WHEN status = 'completed' THEN 0 ELSE progress END
    WHERE id = ANY (ARRAY(SELECT id FROM knowledge_bases WHERE id = ANY (ARRAY(
        (SELECT id FROM knowledge_bases WHERE serving IS NOT NULL AND vectors_model < $1
          ORDER BY vectors_model, id LIMIT ${STALE_PER_STATEMENT})
        UNION ALL (SELECT id FROM knowledge_bases WHERE serving IS NOT NULL AND vectors_model > $1
          ORDER BY vectors_model, id LIMIT ${STALE_PER_STATEMENT})))
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING 1`,
};

const HELD = 'b.id = $1 AND b.vectors_owner = $2 AND b.serving = $3';
const RENEW = {
  name: 'renew-backfill',
  text: `UPDATE knowledge_bases b SET vectors_until = now() + $4 * interval '1 ms' WHERE ${HELD} RETURNING 1`,
};
const RELEASE = {
  name: 'release-backfill',
  text: 'UPDATE knowledge_bases SET vectors_until = NULL, vectors_owner = NULL WHERE id = $1 AND vectors_owner = $2',
};

/** Counts the passages for the model `$4`, which has not seen the generation yet. */
const count = (alias: string): string => `
  SELECT count(*) FILTER (WHERE c.embedding IS NOT NULL AND c.embedding_model = $4) AS done,
      count(*) FILTER (WHERE c.embedding IS NOT NULL OR c.embedding_model IS DISTINCT FROM $4) AS all_of,
      count(*) FILTER (WHERE c.embedding_model IS DISTINCT FROM $4) AS missing
    FROM knowledge_chunks c WHERE c.knowledge_base_id = ${alias}.id AND c.generation = ${alias}.serving AND ${getsVector('c')}`;
const BEGIN = {
  name: 'begin-backfill',
  text: `UPDATE knowledge_bases b SET vectors_model = $4, vectors_ordinal = -1,
      (vectors_done, vectors_of) = (SELECT done, all_of FROM (${count('b')}) counted)
    WHERE ${HELD} RETURNING 1`,
};

/** A refused text counts as neither done nor missing. `$8`: the unit ends here, and other documents take turns. */
const STORE = {
  name: 'store-vectors',
  text: `WITH held AS (SELECT b.id FROM knowledge_bases b WHERE ${HELD} FOR NO KEY UPDATE),
    stored AS (
      UPDATE knowledge_chunks c SET embedding = made.embedding, embedding_model = $4, hash = made.hash
        FROM held CROSS JOIN unnest($5::bigint[], $6::bytea[], $9::bytea[]) AS made (id, embedding, hash)
       WHERE c.id = made.id AND c.knowledge_base_id = held.id
      RETURNING c.embedding IS NOT NULL AS has_vector)
    UPDATE knowledge_bases b SET vectors_ordinal = $7, vectors_unannounced = true,
        vectors_done = b.vectors_done + stored.made, vectors_of = b.vectors_of - stored.refused,
        progress = CASE WHEN b.stage = 'reindex'
          THEN least(99, 100 * (b.vectors_done + stored.made) / greatest(b.vectors_of - stored.refused, 1)) ELSE b.progress END,
        vectors_until = CASE WHEN $8 THEN NULL ELSE b.vectors_until END,
        vectors_owner = CASE WHEN $8 THEN NULL ELSE b.vectors_owner END
      FROM (SELECT count(*) FILTER (WHERE has_vector) AS made, count(*) FILTER (WHERE NOT has_vector) AS refused FROM stored) stored
     WHERE b.id IN (SELECT id FROM held) RETURNING 1`,
};

/** Counts again: a missing passage begins another pass. */
const FINISH = {
  name: 'finish-backfill',
  text: `UPDATE knowledge_bases b SET vectors_done = counted.done, vectors_of = counted.all_of, vectors_ordinal = -1,
      vectors_generation = CASE WHEN counted.missing = 0 THEN b.serving ELSE b.vectors_generation END,
      vectors_backlog = b.vectors_backlog AND counted.missing > 0,
      stage = CASE WHEN b.stage = 'reindex' AND counted.missing = 0 THEN NULL ELSE b.stage END,
      progress = CASE WHEN b.stage = 'reindex' AND counted.missing = 0 THEN 100 ELSE b.progress END,
      vectors_until = NULL, vectors_owner = NULL
    FROM (SELECT held.id, numbers.* FROM knowledge_bases held CROSS JOIN LATERAL (${count('held')}) numbers WHERE held.id = $1) counted
    WHERE ${HELD} AND counted.id = b.id RETURNING counted.missing = 0 AS complete`,
};

/** An advisory lock, because rows of agents are locked after those of all their knowledge bases (KnowledgeChunksRepository). */
const SERIALISE = { name: 'serialise-backfills-of-agent', text: 'SELECT pg_advisory_xact_lock(7216037, $1)' };
const ANNOUNCE = {
  name: 'announce-backfill',
  text: `UPDATE knowledge_bases SET vectors_unannounced = false
    WHERE account_id = $1 AND agent_id = $2 AND vectors_unannounced RETURNING id`,
};
const UNANNOUNCED = {
  name: 'unannounced-backfills',
  text: `SELECT DISTINCT account_id AS "accountId", agent_id AS "agentId" FROM (
      SELECT account_id, agent_id FROM knowledge_bases
       WHERE vectors_unannounced AND serving = vectors_generation LIMIT ${UNANNOUNCED_PER_ROUND}) found`,
};

const WITHOUT = {
  name: 'chunks-without-vectors',
  text: `SELECT c.id, c.ordinal, c.text, c.heading_path AS "headingPath" FROM knowledge_chunks c
    WHERE c.knowledge_base_id = $1 AND c.generation = $2 AND c.ordinal > $4 AND c.embedding_model IS DISTINCT FROM $3
      AND ${getsVector('c')}
    ORDER BY c.ordinal LIMIT ${CHUNKS_PER_UNIT}`,
};

/** Claims and leases of knowledge bases with missing vectors; leases use the database's clock. */
@Injectable()
export class VectorBackfillRepository {
  constructor(
    private readonly database: Database,
    private readonly chunks: KnowledgeChunksRepository,
  ) {}

  /** Makes some of the complete documents of other models due again. @returns the number of documents; 0: there are no more. */
  async markStale(model: string): Promise<number> {
    return (await this.database.rows(MARK_STALE, [model])).length;
  }

  /** Claims a knowledge base with missing vectors of the account after `afterAccount`; undefined: there is none. */
  async claim(model: string, { owner, leaseMs }: BackfillLease, afterAccount: number): Promise<Backfill | undefined> {
    const values = [owner, leaseMs, afterAccount];
    const [claimed] = await this.database.rows<Backfill & { vectors_model: string | null }>(CLAIM, values);
    if (!claimed || claimed.vectors_model === model) return claimed;
    await this.database.rows(BEGIN, [claimed.id, owner, claimed.serving, model]);
    return { ...claimed, vectors_ordinal: -1 };
  }

  /** Returns false if the knowledge base was deleted, superseded by a new generation, or claimed by another worker. */
  async renew({ id, serving }: Backfill, { owner, leaseMs }: BackfillLease): Promise<boolean> {
    return (await this.database.rows(RENEW, [id, owner, serving, leaseMs])).length === 1;
  }

  async release({ id }: Backfill, owner: string): Promise<void> {
    await this.database.rows(RELEASE, [id, owner]);
  }

  /** The next chunks without a vector of the model, CHUNKS_PER_UNIT at most. */
  chunksWithout({ id, serving, vectors_ordinal: after }: Backfill, model: string): Promise<ChunkWithoutVector[]> {
    const values = [id, serving, model, after];
    return this.database.rows<ChunkWithoutVector & Record<string, unknown>>(WITHOUT, values);
  }

  /**
   * Stores the vectors of chunks, null for refused texts, and counts them; `isOver` releases the knowledge base. Writes nothing if it was
   * lost.
   */
  async storeVectors(
    { id, serving }: Backfill,
    { owner, model, isOver }: { owner: string; model: string; isOver: boolean },
    made: { ids: string[]; hashes: Buffer[]; embeddings: (Buffer | null)[]; last: number },
  ): Promise<void> {
    const { ids, hashes, embeddings, last } = made;
    await this.database.rows(STORE, [id, owner, serving, model, ids, embeddings, last, isOver, hashes]);
  }

  /** Marks the vectors as complete and releases the knowledge base. Returns false if some are missing, or it was lost. */
  async finish({ id, serving }: Backfill, owner: string, model: string): Promise<boolean> {
    const [finished] = await this.database.rows<{ complete: boolean }>(FINISH, [id, owner, serving, model]);
    return finished?.complete ?? false;
  }

  /** Makes new vectors of an agent's knowledge bases visible to searches. */
  async announce({ accountId, agentId }: AgentOfAccount): Promise<void> {
    await this.database.transaction(async (tx: Sql) => {
      await this.database.rows(SERIALISE, [agentId], tx);
      const announced = await this.database.rows<{ id: number }>(ANNOUNCE, [accountId, agentId], tx);
      if (announced.length === 0) return;
      await this.chunks.raiseVersion({ accountId, knowledgeBaseId: announced.map((one) => one.id) }, tx);
    });
  }

  /** Agents with complete vectors that no search has seen, some of them if there are many. */
  unannounced(): Promise<AgentOfAccount[]> {
    return this.database.rows<AgentOfAccount & Record<string, unknown>>(UNANNOUNCED);
  }
}
