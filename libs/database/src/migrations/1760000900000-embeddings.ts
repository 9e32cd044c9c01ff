import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // Vectors that were made, by what they were made of: nothing is asked for twice when a job is repeated or a document comes
  // back. Rows belong to one account: a text that another account has too must not be noticed by how fast it is done.
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
  // A chunk that is what it was keeps its vector.
  `CREATE INDEX knowledge_chunks_hash ON knowledge_chunks (account_id, hash) WHERE embedding IS NOT NULL`,

  // Which generation has all its vectors, and of which model; whoever adds what is missing holds the lease. `unannounced`: there are
  // vectors that the agent's version does not tell of yet.
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

/** The cache of vectors, and how far the vectors of each knowledge base are. */
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
