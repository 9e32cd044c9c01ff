import { rows, type Sql } from '@app/database';

/** Vectors are kept and found within one account and one model. */
export interface CacheScope {
  accountId: number;
  model: string;
}

/** The bytes of vectors by the hash of their text, in hex. */
export type VectorsByHash = Map<string, Buffer>;

const KEPT_ROWS = 50_000;
const AT_ONCE = 2_000;
const PER_LOOK = 500;

// A hit is noted once a day: a row is not written anew for each document that has the same footer.
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

/** The vectors that the account's chunks and the cache have of these texts. */
export async function knownVectors(sql: Sql, scope: CacheScope, hashes: readonly Buffer[]): Promise<VectorsByHash> {
  const known: VectorsByHash = new Map();
  for (let from = 0; from < hashes.length; from += PER_LOOK) {
    const values = [scope.accountId, scope.model, hashes.slice(from, from + PER_LOOK)];
    const found = await rows<{ hash: Buffer; embedding: Buffer }>(sql, KNOWN, values);
    for (const { hash, embedding } of found) known.set(hash.toString('hex'), embedding);
  }
  return known;
}

const REMEMBER = {
  name: 'remember-vectors',
  text: `INSERT INTO embedding_cache (account_id, model, hash, embedding)
    SELECT $1, $2, hash, embedding FROM unnest($3::bytea[], $4::bytea[]) AS made (hash, embedding)
    ON CONFLICT DO NOTHING`,
};

export async function rememberVectors(sql: Sql, scope: CacheScope, vectors: VectorsByHash): Promise<void> {
  const hashes = [...vectors.keys()].map((hex) => Buffer.from(hex, 'hex'));
  await rows(sql, REMEMBER, [scope.accountId, scope.model, hashes, [...vectors.values()]]);
}

/** Forgets what nobody used for 90 days and the oldest beyond 50,000 rows, a bounded number at a time. @returns how many. */
export async function purgeEmbeddingCache(sql: Sql, keptRows = KEPT_ROWS): Promise<number> {
  const result = await sql.query(
    `DELETE FROM embedding_cache WHERE ctid = ANY (ARRAY(
       (SELECT ctid FROM embedding_cache WHERE used_at < now() - interval '90 days' ORDER BY used_at LIMIT ${AT_ONCE})
       UNION (SELECT ctid FROM embedding_cache ORDER BY used_at DESC OFFSET ${keptRows} LIMIT ${AT_ONCE})))`,
  );
  return result.rowCount ?? 0;
}
