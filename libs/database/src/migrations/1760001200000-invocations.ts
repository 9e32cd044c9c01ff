import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '../unfinished-index.js';

const TABLES = [
  // json, not jsonb: models and endpoints send texts with \u0000, which jsonb refuses. A deleted tool or agent leaves its history, so
  // their ids are no references. ended_at is null while it runs, and for ever when its process died.
  `CREATE TABLE IF NOT EXISTS tool_invocations (
    id uuid PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    agent_id integer NOT NULL,
    tool_id integer NOT NULL,
    tool_name text NOT NULL,
    call_id uuid REFERENCES calls ON DELETE CASCADE,
    tool_call_id text,
    source text NOT NULL CHECK (source IN ('call', 'invoke', 'simulation')),
    arguments json NOT NULL,
    ok boolean,
    result json,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
  )`,
  `CREATE INDEX IF NOT EXISTS tool_invocations_call ON tool_invocations (call_id, id) WHERE call_id IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS tool_invocations_account ON tool_invocations (account_id, id DESC)`,

  // One row per action. That of a queued one has the id of its delivery, whose attempts are in webhook_attempts.
  `CREATE TABLE IF NOT EXISTS tool_attempts (
    id uuid PRIMARY KEY,
    invocation_id uuid NOT NULL REFERENCES tool_invocations ON DELETE CASCADE,
    position smallint NOT NULL,
    action_id integer NOT NULL,
    name text NOT NULL,
    method text NOT NULL,
    url text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('succeeded', 'failed', 'queued')),
    at timestamptz NOT NULL DEFAULT now(),
    status integer,
    latency_ms integer,
    error json,
    answer_head text,
    request_headers json NOT NULL DEFAULT '{}',
    UNIQUE (invocation_id, position)
  )`,

  // What an invocation queues has streams of its own: a slow tool holds up no webhook of the call, nor the other way round.
  `ALTER TABLE webhook_streams ADD COLUMN IF NOT EXISTS invocation_id uuid REFERENCES tool_invocations ON DELETE CASCADE`,
];

/** Made without a lock: both tables are written to all the time. */
const INDEXES: Record<string, string> = {
  webhook_streams_invocation:
    'UNIQUE INDEX CONCURRENTLY %s ON webhook_streams (invocation_id, url) WHERE invocation_id IS NOT NULL',
  // A stream that goes takes its deliveries with it; without this each looks through all of them.
  webhook_deliveries_stream: 'INDEX CONCURRENTLY %s ON webhook_deliveries (stream_id)',
};

/** What tools were invoked with, what came of it, and the streams of what they queue. */
export class Invocations1760001200000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await runner.query(statement);
    for (const [name, index] of Object.entries(INDEXES)) {
      await dropUnfinishedIndex(runner, name);
      await runner.query(`CREATE ${index.replace('%s', `IF NOT EXISTS ${name}`)}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY webhook_deliveries_stream');
    await runner.query('DELETE FROM webhook_streams WHERE invocation_id IS NOT NULL');
    await runner.query('ALTER TABLE webhook_streams DROP COLUMN invocation_id');
    await runner.query('DROP TABLE tool_attempts');
    await runner.query('DROP TABLE tool_invocations');
  }
}
