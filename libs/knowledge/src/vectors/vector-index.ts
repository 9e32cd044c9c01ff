import type { Log } from '@app/common';
import { rows, type Sql } from '@app/database';
import type { Pool } from 'pg';
import type { Embedder } from '../embed/embedder.js';
import { copyVectors } from './copy-vectors.js';
import { ensureIndex, preparePgvector } from './pgvector-schema.js';

/** What pgvector searches: kept beside the chunks' own vectors when the database has pgvector, else there is nothing to keep. */
export class VectorIndex {
  private constructor(
    private readonly pool: Pool,
    private readonly embedder: Pick<Embedder, 'model' | 'dimensions'>,
    private readonly usable: boolean,
  ) {}

  /** For workers: makes the table when the database has pgvector and none yet. */
  static async open(pool: Pool, embedder: Pick<Embedder, 'model' | 'dimensions'>, log: Log): Promise<VectorIndex> {
    return new VectorIndex(pool, embedder, await preparePgvector(pool, log));
  }

  /** Adds the vectors of a generation; before its swap, searches by meaning find it from its first moment. */
  async add(place: { knowledgeBaseId: number; generation: number }): Promise<void> {
    const { model, dimensions } = this.embedder;
    if (this.usable) await copyVectors(this.pool, { ...place, model, dimensions });
  }

  /** Makes the HNSW index of the model when an agent is large enough for it. */
  async ensure(): Promise<void> {
    if (!this.usable) return;
    const client = await this.pool.connect();
    // A checked-out client emits 'error' when the server goes away; the query under way fails with it.
    const onError = (): void => undefined;
    client.on('error', onError);
    try {
      await withoutLimit(client, () => ensureIndex(client, this.embedder.model, this.embedder.dimensions));
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    } finally {
      client.off('error', onError);
    }
  }
}

/** An index of many vectors takes minutes. */
async function withoutLimit(sql: Sql, work: () => Promise<unknown>): Promise<void> {
  await rows(sql, { text: 'SET statement_timeout = 0' });
  await work();
  await rows(sql, { text: 'RESET statement_timeout' });
}
