import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Commands to live calls. The dialer of a call reads the unfinished ones of its calls five times a second. */
export class CallCommands1760004300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE call_commands (
        id uuid PRIMARY KEY,
        account_id integer NOT NULL,
        call_id uuid NOT NULL CONSTRAINT call_commands_call_id_fkey REFERENCES calls (id) ON DELETE CASCADE,
        seq integer NOT NULL,
        owner text NOT NULL,
        type text NOT NULL,
        input jsonb NOT NULL DEFAULT '{}',
        status text NOT NULL DEFAULT 'pending'
          CONSTRAINT call_commands_status_check CHECK (status IN ('pending', 'running', 'done', 'failed', 'not_executed')),
        created_at timestamptz NOT NULL DEFAULT now(),
        started_at timestamptz,
        effective_at timestamptz,
        finished_at timestamptz,
        result jsonb,
        error_code text,
        error_message text,
        CONSTRAINT call_commands_order UNIQUE (call_id, seq)
      )`);
    await runner.query(
      `CREATE INDEX call_commands_unfinished ON call_commands (owner, call_id, seq) WHERE status IN ('pending', 'running')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE call_commands');
  }
}
