import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The words of running turns, for the streams of watched calls. Unlogged: the words are replaced several times a second and lose their
 * meaning when the turn ends, so they need neither the write-ahead log nor a recovery.
 */
export class CallWords1760004500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE call_words (
        call_id uuid PRIMARY KEY CONSTRAINT call_words_call_id_fkey REFERENCES calls (id) ON DELETE CASCADE,
        watched_until timestamptz NOT NULL,
        version integer NOT NULL DEFAULT 0,
        turns jsonb NOT NULL DEFAULT '[]'
      ) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE call_words');
  }
}
