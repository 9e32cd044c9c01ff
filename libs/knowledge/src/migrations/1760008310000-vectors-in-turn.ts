import type { MigrationInterface, QueryRunner } from 'typeorm';

const GETS_VECTOR = '(c.first_row IS NULL OR c.ordinal % 1000000 < 10000)';

const STATEMENTS = [
  // `done` of `of` passages of the serving generation have their vector; those up to `ordinal` are done. `backlog`: the document waits
  // with the whole installation, for a new model, and new documents come first.
  `ALTER TABLE knowledge_bases
    ADD COLUMN vectors_done integer NOT NULL DEFAULT 0,
    ADD COLUMN vectors_of integer NOT NULL DEFAULT 0,
    ADD COLUMN vectors_ordinal integer NOT NULL DEFAULT -1,
    ADD COLUMN vectors_backlog boolean NOT NULL DEFAULT false`,
  `UPDATE knowledge_bases b SET vectors_done = counted.done, vectors_of = counted.all_of,
      vectors_backlog = b.serving IS DISTINCT FROM b.vectors_generation
    FROM (SELECT c.knowledge_base_id, c.generation, count(*) FILTER (WHERE c.embedding IS NOT NULL) AS done,
            count(*) FILTER (WHERE c.embedding IS NOT NULL OR c.embedding_model IS NULL) AS all_of
          FROM knowledge_chunks c WHERE ${GETS_VECTOR} GROUP BY 1, 2) counted
    WHERE counted.knowledge_base_id = b.id AND counted.generation = b.serving`,
  // The next document of an account: the one with the fewest missing passages, in classes of units, and of those the newest.
  `CREATE INDEX knowledge_bases_vectors_due ON knowledge_bases (vectors_backlog, account_id,
      width_bucket(vectors_of - vectors_done, '{33,513,8193}'::integer[]), updated_at DESC, id)
    WHERE serving IS NOT NULL AND serving IS DISTINCT FROM vectors_generation`,
  `CREATE INDEX knowledge_bases_vectors_unannounced ON knowledge_bases (id) WHERE vectors_unannounced`,
  `DROP INDEX knowledge_bases_without_vectors`,
];

const REVERSED = [
  `CREATE INDEX knowledge_bases_without_vectors ON knowledge_bases (id)
    WHERE serving IS NOT NULL AND serving IS DISTINCT FROM vectors_generation`,
  'DROP INDEX knowledge_bases_vectors_unannounced, knowledge_bases_vectors_due',
  `ALTER TABLE knowledge_bases DROP COLUMN vectors_done, DROP COLUMN vectors_of, DROP COLUMN vectors_ordinal,
     DROP COLUMN vectors_backlog`,
];

/** Vectors are added in units that accounts take in turn, and a knowledge base counts its passages with and without one. */
export class VectorsInTurn1760008310000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of REVERSED) await runner.query(statement);
  }
}
