import type { MigrationInterface, QueryRunner } from 'typeorm';

const EARLIER = [
  ...['account:read', 'agents:read', 'agents:write', 'audit:read', 'calls:read', 'calls:write', 'campaigns:read'],
  ...['campaigns:write', 'compliance:read', 'compliance:write', 'knowledge:read', 'knowledge:write', 'numbers:read'],
  ...['numbers:write', 'tokens:read', 'tokens:write', 'tools:read', 'tools:write', 'trunks:read', 'trunks:write'],
  ...['webhooks:read', 'webhooks:write'],
];

const list = (scopes: string[]): string => `ARRAY[${scopes.map((scope) => `'${scope}'`).join(', ')}]::text[]`;

const SUMS = [
  ...['calls', 'dialled', 'answered', 'human', 'machine', 'duration_ms', 'ring_ms', 'cost_micros', 'responses'],
  ...['response_ms', 'interruptions', 'tool_calls', 'tool_failures', 'searches', 'search_hits', 'transfers'],
  ...['transfers_connected', 'queued', 'queue_ms'],
];

const STATEMENTS = [
  `CREATE TABLE analytics_calls (
    call_id uuid PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    agent_id integer NOT NULL,
    agent_version integer,
    campaign_id integer,
    number_id integer NOT NULL,
    trunk_id integer,
    direction text NOT NULL,
    outcome text NOT NULL,
    cause text,
    answered_by text,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    answered_at timestamptz,
    ended_at timestamptz NOT NULL,
    queue_ms integer,
    cost_micros bigint,
    transfers integer NOT NULL DEFAULT 0,
    transfers_connected integer NOT NULL DEFAULT 0,
    response_ms integer[],
    interruptions integer NOT NULL DEFAULT 0,
    tool_calls integer NOT NULL DEFAULT 0,
    tool_failures integer NOT NULL DEFAULT 0,
    searches integer NOT NULL DEFAULT 0,
    search_hits integer NOT NULL DEFAULT 0,
    pending boolean NOT NULL DEFAULT true,
    counted boolean NOT NULL DEFAULT false
  )`,
  `CREATE INDEX analytics_calls_pending ON analytics_calls (account_id) WHERE pending`,
  `CREATE INDEX analytics_calls_by_creation ON analytics_calls (account_id, created_at, call_id)`,
  `CREATE INDEX analytics_calls_by_end ON analytics_calls (account_id, ended_at)`,
  `CREATE TABLE analytics_zones (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    time_zone text NOT NULL,
    built_until timestamptz NOT NULL,
    CONSTRAINT analytics_zones_key UNIQUE (account_id, time_zone)
  )`,
  `CREATE TABLE analytics_rollups (
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    zone_id integer NOT NULL,
    cuboid integer NOT NULL,
    bucket timestamptz NOT NULL,
    agent_id integer NOT NULL,
    agent_version integer NOT NULL,
    campaign_id integer NOT NULL,
    number_id integer NOT NULL,
    trunk_id integer NOT NULL,
    direction text NOT NULL,
    outcome text NOT NULL,
    cause text NOT NULL,
    answered_by text NOT NULL,
    ${SUMS.map((sum) => `${sum} bigint NOT NULL`).join(',\n    ')},
    duration_bins integer[],
    ring_bins integer[],
    response_bins integer[],
    queue_bins integer[],
    PRIMARY KEY (account_id, zone_id, cuboid, bucket, agent_id, agent_version, campaign_id, number_id, trunk_id, direction,
      outcome, cause, answered_by)
  )`,
  `CREATE TABLE analytics_peaks (
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    dimension text NOT NULL,
    bucket timestamptz NOT NULL,
    value text NOT NULL,
    peak integer NOT NULL DEFAULT 0,
    stale boolean NOT NULL DEFAULT false,
    PRIMARY KEY (account_id, dimension, bucket, value)
  )`,
  `CREATE INDEX analytics_peaks_stale ON analytics_peaks (account_id, bucket) WHERE stale`,
  // Adds two histograms by subscript; the result has no gaps.
  `CREATE FUNCTION add_bins(a integer[], b integer[]) RETURNS integer[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    BEGIN
      IF a IS NULL THEN RETURN b; END IF;
      IF b IS NULL THEN RETURN a; END IF;
      FOR i IN REVERSE array_lower(a, 1) - 1 .. array_lower(b, 1) LOOP a[i] := 0; END LOOP;
      FOR i IN array_upper(a, 1) + 1 .. array_upper(b, 1) LOOP a[i] := 0; END LOOP;
      FOR i IN array_lower(b, 1) .. array_upper(b, 1) LOOP a[i] := a[i] + b[i]; END LOOP;
      RETURN a;
    END $$`,
  `CREATE TABLE call_search (
    call_id uuid PRIMARY KEY REFERENCES calls ON DELETE CASCADE,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    words tsvector NOT NULL
  )`,
  `CREATE INDEX call_search_words ON call_search USING gin (words)`,
  // Tokens with every scope of a tenant (\`*\`) keep every scope.
  `UPDATE api_tokens SET scopes = scopes || '{analytics:read}'::text[]
    WHERE scopes @> ${list(EARLIER)} AND NOT scopes @> '{analytics:read}'::text[]`,
];

/** Rollups of ended calls, and the words of their transcripts. Calls that processes of the earlier release end are counted by `analytics rebuild`. */
export class Analytics1760007300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE call_search, analytics_peaks, analytics_rollups, analytics_zones, analytics_calls');
    await runner.query('DROP FUNCTION add_bins(integer[], integer[])');
    await runner.query(
      `UPDATE api_tokens SET scopes = array_remove(scopes, 'analytics:read') WHERE 'analytics:read' = ANY (scopes)`,
    );
  }
}
