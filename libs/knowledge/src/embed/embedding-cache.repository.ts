import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** Vectors are cached per account and model. */
export interface CacheScope {
  accountId: number;
  model: string;
}

/** Stored vectors by the hash of their text, in hex. */
export type VectorsByHash = Map<string, Buffer>;

const KEPT_ROWS = 50_000;
const PURGED_AT_ONCE = 2_000;
const PER_LOOKUP = 500;

// A hit updates `used_at` at most once a day: many documents with the same footer do not rewrite the row each time.
const KNOWN = {
  name: 'known-vectors',
  text: `WITH used AS (
      UPDATE embedding_cache SET used_at = now()
        WHERE account_id = $1 AND model = $2 AND hash = ANY ($3::bytea[]) AND used_at < now() - interval '1 day')
    SELECT DISTINCT ON (hash) hash, embedding FROM (
      SELECT hash, embedding FROM knowledge_chunks
        WHERE account_id = $1 AND embedding_model = $2 AND hash = ANY ($3::bytea[]) AND embedding IS NOT NULL
      UNION ALL
      SELECT hash, embedding FROM embedding_cache WHERE account_id = $1 AND model = $2 AND hash = ANY ($3::bytea[])) known`,
};

const REMEMBER = {
  name: 'remember-vectors',
  text: `INSERT INTO embedding_cache (account_id, model, hash, embedding)
    SELECT $1, $2, hash, embedding FROM unnest($3::bytea[], $4::bytea[]) AS made (hash, embedding)
    ON CONFLICT DO NOTHING`,
};

/** Caches vectors by the hash of their text, so that no text is embedded twice. Each statement handles hundreds of rows. */
@Injectable()
export class EmbeddingCacheRepository {
  constructor(private readonly database: Database) {}

  /** The vectors of these texts, from the account's chunks and from the cache. */
  async find(scope: CacheScope, hashes: readonly Buffer[]): Promise<VectorsByHash> {
    const known: VectorsByHash = new Map();
    for (let from = 0; from < hashes.length; from += PER_LOOKUP) {
      const values = [scope.accountId, scope.model, hashes.slice(from, from + PER_LOOKUP)];
      const found = await this.database.rows<{ hash: Buffer; embedding: Buffer }>(KNOWN, values);
      for (const { hash, embedding } of found) known.set(hash.toString('hex'), embedding);
    }
    return known;
  }

  async store(scope: CacheScope, vectors: VectorsByHash): Promise<void> {
    const hashes = [...vectors.keys()].map((hex) => Buffer.from(hex, 'hex'));
    await this.database.rows(REMEMBER, [scope.accountId, scope.model, hashes, [...vectors.values()]]);
  }

  /**
   * Deletes a bounded number of vectors: unused for 90 days, or the oldest beyond 50,000 rows. @returns the number of
   * deleted rows.
   */
  async purge(keptRows = KEPT_ROWS): Promise<number> {
    const text = `DELETE FROM embedding_cache WHERE ctid = ANY (ARRAY(
       (SELECT ctid FROM embedding_cache WHERE used_at < now() - interval '90 days' ORDER BY used_at LIMIT ${PURGED_AT_ONCE})
       UNION (SELECT ctid FROM embedding_cache ORDER BY used_at DESC OFFSET ${keptRows} LIMIT ${PURGED_AT_ONCE}))) RETURNING 1`;
    return (await this.database.rows({ text })).length;
  }
}
