import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { KnowledgeChunksRepository } from '../knowledge-chunks.repository.js';
import { GETS_VECTOR } from '../limits.js';

/** A knowledge base with missing vectors, claimed by a worker. */
export interface Backfill {
  id: number;
  account_id: number;
  agent_id: number;
  /** The serving generation. */
  serving: number;
  chunk_count: number;
}

export interface BackfillLease {
  owner: string;
  leaseMs: number;
}

export interface ChunkWithoutVector {
  id: string;
  ordinal: number;
  text: string;
  heading_path: string[];
}

const CHUNKS_PER_BATCH = 128;

const FREE = 'serving IS NOT NULL AND (vectors_until IS NULL OR vectors_until < now())';
const STALE = 'serving IS DISTINCT FROM vectors_generation OR vectors_model IS DISTINCT FROM $1';

// Three scans of two small indexes: generations without all vectors, and those of a model whose name sorts before or after this one.
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

const HELD = 'id = $1 AND vectors_owner = $2 AND serving = $3';
const RENEW = {
  name: 'renew-backfill',
  text: `UPDATE knowledge_bases SET vectors_until = now() + $4 * interval '1 ms' WHERE ${HELD} RETURNING 1`,
};
const SHOW_PROGRESS = {
  name: 'show-backfill-progress',
  text: `UPDATE knowledge_bases SET vectors_unannounced = true,
      stage = CASE WHEN status = 'completed' THEN 'reindex' ELSE stage END,
      progress = CASE WHEN status = 'completed' THEN $4 ELSE progress END
    WHERE ${HELD}`,
};
const PROGRESS_ENDED = `stage = CASE WHEN stage = 'reindex' THEN NULL ELSE stage END,
  progress = CASE WHEN stage = 'reindex' THEN 100 ELSE progress END, vectors_owner = NULL`;
const RELEASE = {
  name: 'release-backfill',
  text: `UPDATE knowledge_bases SET vectors_until = NULL, ${PROGRESS_ENDED} WHERE id = $1 AND vectors_owner = $2`,
};
const FINISH = {
  name: 'finish-backfill',
  text: `UPDATE knowledge_bases SET vectors_generation = serving, vectors_model = $4, vectors_until = NULL, ${PROGRESS_ENDED}
    WHERE ${HELD} RETURNING 1`,
};
/** An advisory lock, because rows of agents are locked after those of all their knowledge bases (KnowledgeChunksRepository). */
const SERIALISE = { name: 'serialise-backfills-of-agent', text: 'SELECT pg_advisory_xact_lock(7216037, $1)' };
const MORE = {
  name: 'more-backfill',
  text: `SELECT 1 FROM knowledge_bases WHERE account_id = $2 AND agent_id = $3 AND serving IS NOT NULL AND (${STALE}) LIMIT 1`,
};
const ANNOUNCE = {
  name: 'announce-backfill',
  text: `UPDATE knowledge_bases SET vectors_unannounced = false
    WHERE account_id = $1 AND agent_id = $2 AND vectors_unannounced RETURNING id`,
};

const WITHOUT = {
  name: 'chunks-without-vectors',
  text: `SELECT id, ordinal, text, heading_path FROM knowledge_chunks
    WHERE knowledge_base_id = $1 AND generation = $2 AND ordinal > $4 AND embedding_model IS DISTINCT FROM $3
      AND ${GETS_VECTOR}
    ORDER BY ordinal LIMIT ${CHUNKS_PER_BATCH}`,
};
const STORE = {
  name: 'store-vectors',
  text: `UPDATE knowledge_chunks c SET hash = made.hash, embedding = made.embedding, embedding_model = $2
    FROM unnest($3::bigint[], $4::bytea[], $5::bytea[]) AS made (id, hash, embedding)
    WHERE c.id = made.id AND c.account_id = $1`,
};

/** Claims and leases of knowledge bases with missing vectors; leases use the database's clock. */
@Injectable()
export class VectorBackfillRepository {
  constructor(
    private readonly database: Database,
    private readonly chunks: KnowledgeChunksRepository,
  ) {}

  /** Claims a knowledge base with missing vectors of the model, agent by agent; undefined: there is none. */
  async claim(model: string, { owner, leaseMs }: BackfillLease): Promise<Backfill | undefined> {
    const values = [model, owner, leaseMs];
    const [claimed] = await this.database.rows<Backfill & Record<string, unknown>>(CLAIM, values);
    return claimed;
  }

  /** Returns false if the knowledge base was deleted, superseded by a new generation, or claimed by another worker. */
  async renew({ id, serving }: Backfill, { owner, leaseMs }: BackfillLease): Promise<boolean> {
    return (await this.database.rows(RENEW, [id, owner, serving, leaseMs])).length === 1;
  }

  /** Stores the progress in the row, unless a new generation is being built, whose stage takes precedence. */
  async showProgress({ id, serving }: Backfill, owner: string, percent: number): Promise<void> {
    await this.database.rows(SHOW_PROGRESS, [id, owner, serving, percent]);
  }

  async release({ id }: Backfill, owner: string, tx?: Sql): Promise<void> {
    await this.database.rows(RELEASE, [id, owner], tx);
  }

  /**
   * Marks the vectors as complete. Versions change only with the last knowledge base of the owning agent, because each change makes every
   * process reload the indexes of all agents that search it.
   */
  async finish(work: Backfill, owner: string, model: string): Promise<void> {
    const { id, account_id: accountId, agent_id: agentId, serving } = work;
    await this.database.transaction(async (tx) => {
      const finished = await this.database.rows(FINISH, [id, owner, serving, model], tx);
      // A new generation is served, or the knowledge base was deleted: the next claim handles it.
      if (finished.length === 0) return this.release(work, owner, tx);
      // Serialises concurrent finishes, so that the second sees the first.
      await this.database.rows(SERIALISE, [agentId], tx);
      if ((await this.database.rows(MORE, [model, accountId, agentId], tx)).length > 0) return;
      const announced = await this.database.rows<{ id: number }>(ANNOUNCE, [accountId, agentId], tx);
      await this.chunks.raiseVersion({ accountId, knowledgeBaseId: announced.map((one) => one.id) }, tx);
    });
  }

  /** The next chunks after an ordinal without a vector of the model. */
  chunksWithout({ id, serving }: Backfill, model: string, after: number): Promise<ChunkWithoutVector[]> {
    const values = [id, serving, model, after];
    return this.database.rows<ChunkWithoutVector & Record<string, unknown>>(WITHOUT, values);
  }

  async storeVectors(
    accountId: number,
    model: string,
    made: { ids: string[]; hashes: Buffer[]; embeddings: (Buffer | null)[] },
  ): Promise<void> {
    await this.database.rows(STORE, [accountId, model, made.ids, made.hashes, made.embeddings]);
  }
}
