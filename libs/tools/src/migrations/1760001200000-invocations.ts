import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropUnfinishedIndex } from '@app/database/indexes';

const TABLES = [
  // json, not jsonb, because models and endpoints send texts with \u0000, which jsonb refuses. The history of a deleted tool or agent
  // remains, so their ids are not foreign keys. ended_at is null during the invocation, and remains null if its process crashes.
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

  // One row for each action. The row of a queued action has the id of its delivery, whose attempts are in webhook_attempts.
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

  // The queued actions of an invocation have separate streams, so that a slow tool does not delay webhooks of the call, or vice versa.
  `ALTER TABLE webhook_streams ADD COLUMN IF NOT EXISTS invocation_id uuid REFERENCES tool_invocations ON DELETE CASCADE`,
];

/** Created concurrently, because processes write to both tables. */
const INDEXES: Record<string, string> = {
  webhook_streams_invocation:
    'UNIQUE INDEX CONCURRENTLY %s ON webhook_streams (invocation_id, url) WHERE invocation_id IS NOT NULL',
  // Deleting a stream deletes its deliveries, which would be a full scan without this index.
  webhook_deliveries_stream: 'INDEX CONCURRENTLY %s ON webhook_deliveries (stream_id)',
};

/** Invocations of tools with their arguments and results, and the streams of their queued actions. */
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
