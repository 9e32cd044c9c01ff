import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `CREATE TABLE test_runs (
    id uuid PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    agent_version integer,
    trigger text NOT NULL,
    status text NOT NULL DEFAULT 'queued'
      CHECK (status IN ('queued', 'running', 'passed', 'failed', 'error', 'cancelled')),
    plan jsonb NOT NULL,
    conversations integer NOT NULL,
    played integer NOT NULL DEFAULT 0,
    passes integer NOT NULL DEFAULT 0,
    cost_micros bigint NOT NULL DEFAULT 0,
    problem text,
    webhook_url text,
    notify text NOT NULL DEFAULT 'always',
    attempts smallint NOT NULL DEFAULT 0,
    lease_owner text,
    lease_until timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    ended_at timestamptz
  )`,
  `CREATE INDEX test_runs_list ON test_runs (agent_id, id)`,
  `CREATE INDEX test_runs_open ON test_runs (account_id, id) WHERE status IN ('queued', 'running')`,
  `CREATE INDEX test_runs_ended ON test_runs (account_id, ended_at) WHERE ended_at IS NOT NULL`,
  `CREATE TABLE test_conversations (
    run_id uuid NOT NULL REFERENCES test_runs ON DELETE CASCADE,
    scenario integer NOT NULL,
    repetition integer NOT NULL,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    passed boolean NOT NULL,
    report jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, scenario, repetition)
  )`,
  `CREATE TABLE agent_test_schedules (
    agent_id integer PRIMARY KEY REFERENCES agents ON DELETE CASCADE,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    cron text NOT NULL,
    time_zone text NOT NULL,
    scenarios text[] NOT NULL DEFAULT '{}',
    overrides jsonb NOT NULL,
    webhook_url text,
    notify text NOT NULL DEFAULT 'failure',
    next_at timestamptz NOT NULL,
    last_run_id uuid,
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX agent_test_schedules_due ON agent_test_schedules (next_at)`,
];

/** Runs of an agent's scenarios, and when they run. */
export class TestRuns1760007500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agent_test_schedules, test_conversations, test_runs');
  }
}
