import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // A cache of vectors by their text, for repeated jobs and documents. Rows belong to one account, because the response time would
  // otherwise reveal that another account has the same text.
  `CREATE TABLE embedding_cache (
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    model text NOT NULL,
    hash bytea NOT NULL,
    embedding bytea NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, model, hash)
  )`,
  `CREATE INDEX embedding_cache_used ON embedding_cache (used_at)`,
  `ALTER TABLE embedding_cache ALTER COLUMN embedding SET STORAGE EXTERNAL`,
  // An unchanged chunk keeps its vector.
  `CREATE INDEX knowledge_chunks_hash ON knowledge_chunks (account_id, hash) WHERE embedding IS NOT NULL`,

  // The generation whose vectors are complete, and their model; the process that adds missing vectors holds the lease. `unannounced`:
  // some vectors are newer than the version of the agent.
  `ALTER TABLE knowledge_bases
    ADD COLUMN vectors_generation integer,
    ADD COLUMN vectors_model text,
    ADD COLUMN vectors_owner text,
    ADD COLUMN vectors_until timestamptz,
    ADD COLUMN vectors_unannounced boolean NOT NULL DEFAULT false`,
  `CREATE INDEX knowledge_bases_without_vectors ON knowledge_bases (id)
    WHERE serving IS NOT NULL AND serving IS DISTINCT FROM vectors_generation`,
  `CREATE INDEX knowledge_bases_vectors_model ON knowledge_bases (vectors_model, id) WHERE serving IS NOT NULL`,
];

/** The cache of vectors, and the progress of the vectors of each knowledge base. */
export class Embeddings1760000900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP INDEX knowledge_bases_vectors_model, knowledge_bases_without_vectors, knowledge_chunks_hash',
    );
    await runner.query(
      `ALTER TABLE knowledge_bases DROP COLUMN vectors_generation, DROP COLUMN vectors_model, DROP COLUMN vectors_owner,
         DROP COLUMN vectors_until, DROP COLUMN vectors_unannounced`,
    );
    await runner.query('DROP TABLE embedding_cache');
  }
}
