import type { MigrationInterface, QueryRunner } from 'typeorm';

const NUMBERS = [
  ...[
    'quarter',
    'agent_id',
    'agent_version',
    'campaign_id',
    'number_id',
    'trunk_id',
    'direction',
    'outcome',
    'cause',
    'answered_by',
  ],
  ...[
    'calls',
    'dialled',
    'answered',
    'human',
    'machine',
    'duration_ms',
    'ring_ms',
    'cost_micros',
    'responses',
    'response_ms',
  ],
  ...[
    'interruptions',
    'tool_calls',
    'tool_failures',
    'searches',
    'search_hits',
    'transfers',
    'transfers_connected',
    'queued',
  ],
  ...['queue_ms', 'duration_bins', 'ring_bins', 'response_bins', 'queue_bins'],
];

const SUMS = [
  ...['calls', 'dialled', 'answered', 'human', 'machine', 'duration_ms', 'ring_ms', 'cost_micros', 'responses'],
  ...['response_ms', 'interruptions', 'tool_calls', 'tool_failures', 'searches', 'search_hits', 'transfers'],
  ...['transfers_connected', 'queued', 'queue_ms'],
];

const EARLIER = [
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
];

const STATEMENTS = [
  'DROP TABLE analytics_rollups',
  'DROP FUNCTION add_bins(integer[], integer[])',
  `CREATE TABLE analytics_hours (
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hour timestamptz NOT NULL,
    version integer NOT NULL DEFAULT 1,
    stale boolean NOT NULL DEFAULT true,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, hour)
  )`,
  'CREATE INDEX analytics_hours_stale ON analytics_hours (account_id, hour) WHERE stale',
  `CREATE TABLE analytics_blocks (
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    zone_id integer NOT NULL,
    level smallint NOT NULL,
    bucket timestamptz NOT NULL,
    cuboid integer NOT NULL,
    until timestamptz NOT NULL,
    entries integer NOT NULL,
    labels text[] NOT NULL,
    ${NUMBERS.map((column) => `${column} bytea`).join(',\n    ')},
    PRIMARY KEY (account_id, zone_id, level, bucket, cuboid)
  )`,
  `ALTER TABLE analytics_zones ALTER COLUMN built_until SET DEFAULT '-infinity',
    ADD COLUMN days_until timestamptz NOT NULL DEFAULT '-infinity', ADD COLUMN months_until timestamptz NOT NULL DEFAULT '-infinity'`,
  // The workers build the rollups from the facts of the calls, which are read one by one until then.
  `INSERT INTO analytics_hours (account_id, hour, changed_at)
    SELECT DISTINCT account_id, date_trunc('hour', created_at, 'UTC'), '-infinity'::timestamptz FROM analytics_calls WHERE counted`,
];

/** Rollups of ended calls in columns: one row per grouping and hour, day or month. */
export class AnalyticsBlocks1760008100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  /** The rollups of the earlier release are lost: its `analytics rebuild` counts them. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE analytics_blocks, analytics_hours');
    await runner.query(
      'ALTER TABLE analytics_zones ALTER COLUMN built_until DROP DEFAULT, DROP COLUMN days_until, DROP COLUMN months_until',
    );
    for (const statement of EARLIER) await runner.query(statement);
  }
}
