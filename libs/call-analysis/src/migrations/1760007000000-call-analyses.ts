import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  'ALTER TABLE agents ADD COLUMN analysis jsonb',
  'ALTER TABLE campaign_contacts ADD COLUMN analysis jsonb',
  `CREATE TABLE analysis_batches (
    id uuid PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    filter jsonb NOT NULL,
    settings jsonb,
    calls integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE INDEX analysis_batches_by_time ON analysis_batches (created_at)',
  `CREATE TABLE call_analyses (
    id uuid PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    call_id uuid NOT NULL REFERENCES calls ON DELETE CASCADE,
    version integer NOT NULL,
    batch_id uuid REFERENCES analysis_batches ON DELETE SET NULL,
    settings jsonb NOT NULL,
    status text NOT NULL DEFAULT 'pending',
    source text,
    model text,
    result jsonb,
    error_code text,
    error_message text,
    waiting_for text,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now(),
    owner text,
    lease_until timestamptz,
    costs jsonb NOT NULL DEFAULT '[]',
    cost_micros bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    CONSTRAINT call_analyses_version_key UNIQUE (call_id, version),
    CONSTRAINT call_analyses_status_check CHECK (status IN ('pending', 'running', 'completed', 'failed')),
    CONSTRAINT call_analyses_source_check CHECK (source IN ('model', 'rules'))
  )`,
  // The claim reads the oldest rows of each account.
  `CREATE INDEX call_analyses_due ON call_analyses (account_id, due_at, id) WHERE status = 'pending'`,
  `CREATE INDEX call_analyses_running ON call_analyses (lease_until) WHERE status = 'running'`,
  'CREATE INDEX call_analyses_by_batch ON call_analyses (batch_id, status) WHERE batch_id IS NOT NULL',
];

/** Analyses of ended calls. */
export class CallAnalyses1760007000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE call_analyses, analysis_batches');
    await runner.query('ALTER TABLE campaign_contacts DROP COLUMN analysis');
    await runner.query('ALTER TABLE agents DROP COLUMN analysis');
  }
}
