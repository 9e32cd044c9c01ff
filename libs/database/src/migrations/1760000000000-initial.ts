import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `CREATE EXTENSION IF NOT EXISTS pg_trgm`,
  `CREATE EXTENSION IF NOT EXISTS btree_gin`,

  // The single row of the installation, which detects a SECRET_KEY other than the one that the data was encrypted with.
  `CREATE TABLE installation (
    id boolean PRIMARY KEY DEFAULT true CHECK (id),
    key_fingerprint text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,

  `CREATE TABLE accounts (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    concurrent_calls integer NOT NULL DEFAULT 10 CHECK (concurrent_calls > 0),
    calls_per_second double precision NOT NULL DEFAULT 5 CHECK (calls_per_second > 0),
    daily_spend_micros bigint,
    destinations_allow text[] NOT NULL DEFAULT '{}',
    destinations_deny text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,

  `CREATE TABLE api_tokens (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL,
    token_hash bytea NOT NULL UNIQUE,
    hint text NOT NULL,
    scopes text[] NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX api_tokens_account ON api_tokens (account_id, id)`,

  `CREATE TABLE phone_numbers (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL,
    e164 text NOT NULL,
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, name),
    UNIQUE (account_id, e164)
  )`,

  `CREATE TABLE sip_trunks (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL,
    host text NOT NULL,
    port integer CHECK (port BETWEEN 1 AND 65535),
    transport text NOT NULL DEFAULT 'udp' CHECK (transport IN ('udp', 'tcp')),
    username text,
    password_sealed bytea,
    from_domain text,
    active boolean NOT NULL DEFAULT true,
    concurrent_calls integer CHECK (concurrent_calls > 0),
    calls_per_second double precision CHECK (calls_per_second > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, name)
  )`,

  `CREATE TABLE agents (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL,
    provider text NOT NULL DEFAULT 'sandbox',
    instructions text NOT NULL DEFAULT '',
    greeting text NOT NULL DEFAULT '',
    active boolean NOT NULL DEFAULT true,
    max_call_seconds integer NOT NULL DEFAULT 600 CHECK (max_call_seconds BETWEEN 1 AND 14400),
    ring_timeout_seconds integer NOT NULL DEFAULT 60 CHECK (ring_timeout_seconds BETWEEN 1 AND 600),
    post_call_webhook jsonb,
    call_status_webhook jsonb,
    transfer_enabled boolean NOT NULL DEFAULT false,
    transfer_phone_number text,
    transfer_caller_id_number_id integer REFERENCES phone_numbers ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, name)
  )`,

  // Secrets of Standard Webhooks; during a rotation two are live, until expires_at of the older one.
  `CREATE TABLE webhook_secrets (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    secret_sealed bytea NOT NULL,
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX webhook_secrets_account ON webhook_secrets (account_id, id)`,

  // Locked while calls of the account are claimed, so that claims check the limits of the account and its trunks one after the other.
  `CREATE TABLE dial_gates (
    account_id integer PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    next_dial_at timestamptz NOT NULL DEFAULT 'epoch'
  )`,
  `CREATE TABLE trunk_gates (
    trunk_id integer PRIMARY KEY REFERENCES sip_trunks ON DELETE CASCADE,
    next_dial_at timestamptz NOT NULL DEFAULT 'epoch'
  )`,
  `CREATE TABLE daily_spend (
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    day date NOT NULL,
    micros bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, day)
  )`,

  // A dialer process. Its id is new at every start, so that a restarted process does not own the calls of its predecessor.
  `CREATE TABLE dialers (
    id text PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    lease_until timestamptz NOT NULL,
    dead_at timestamptz
  )`,

  `CREATE TABLE calls (
    id uuid PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts,
    agent_id integer NOT NULL REFERENCES agents,
    number_id integer NOT NULL REFERENCES phone_numbers,
    trunk_id integer REFERENCES sip_trunks,
    direction text NOT NULL DEFAULT 'outbound' CHECK (direction IN ('inbound', 'outbound')),
    status text NOT NULL DEFAULT 'pending'
      CHECK (status IN ('pending', 'ringing', 'in_progress', 'completed', 'failed', 'no_answer', 'busy', 'cancelled')),
    to_number text NOT NULL,
    from_number text NOT NULL,
    agent_name text NOT NULL,
    record boolean NOT NULL DEFAULT true,
    metadata jsonb,
    settings jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    answered_at timestamptz,
    ended_at timestamptz,
    hangup_cause text,
    sip_code integer,
    ended_by text,
    cost_micros bigint,
    realtime_cost_micros bigint,
    summary text,
    recording_key text,
    recording_bytes bigint,
    recording_ms integer,
    recording_error text,
    event_seq integer NOT NULL DEFAULT 0,
    webhook_seq integer NOT NULL DEFAULT 0,
    owner text REFERENCES dialers,
    cancel_requested_at timestamptz
  )`,
  `CREATE INDEX calls_list ON calls (account_id, created_at DESC, id DESC)`,
  `CREATE INDEX calls_list_agent ON calls (account_id, agent_id, created_at DESC, id DESC)`,
  `CREATE INDEX calls_list_number ON calls (account_id, number_id, created_at DESC, id DESC)`,
  `CREATE INDEX calls_list_status ON calls (account_id, status, created_at DESC, id DESC)`,
  `CREATE INDEX calls_list_direction ON calls (account_id, direction, created_at DESC, id DESC)`,
  `CREATE INDEX calls_search ON calls USING gin (account_id, to_number gin_trgm_ops)`,
  // The queue: calls that no dialer has claimed, in order.
  `CREATE INDEX calls_waiting ON calls (account_id, id) WHERE status = 'pending' AND owner IS NULL`,
  // Live calls: they count for the limits, and belong to a dialer.
  `CREATE INDEX calls_live ON calls (account_id, trunk_id) WHERE owner IS NOT NULL AND ended_at IS NULL`,
  `CREATE INDEX calls_owned ON calls (owner) WHERE owner IS NOT NULL AND ended_at IS NULL`,

  // The number of rows that the planner estimates for a query: the total of lists that are too long to count.
  `CREATE FUNCTION planned_rows(query text) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE plan json;
    BEGIN
      EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
      RETURN (plan->0->'Plan'->>'Plan Rows')::bigint;
    END $$`,

  `CREATE TABLE call_events (
    call_id uuid NOT NULL REFERENCES calls ON DELETE CASCADE,
    seq integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    type text NOT NULL,
    data jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (call_id, seq)
  )`,

  `CREATE TABLE call_usage (
    call_id uuid NOT NULL REFERENCES calls ON DELETE CASCADE,
    line integer NOT NULL,
    kind text NOT NULL,
    description text NOT NULL,
    quantity numeric(14, 3) NOT NULL,
    unit text NOT NULL,
    unit_price_micros bigint NOT NULL,
    amount_micros bigint NOT NULL,
    price_book text NOT NULL,
    PRIMARY KEY (call_id, line)
  )`,

  `CREATE TABLE idempotency_keys (
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    response jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, key)
  )`,
  `CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at)`,

  // A stream is (call, target URL): delivered in order, and leased to one dispatcher by the clock of the database.
  `CREATE TABLE webhook_streams (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    call_id uuid REFERENCES calls ON DELETE CASCADE,
    url text NOT NULL,
    host text NOT NULL,
    next_at timestamptz,
    lease_until timestamptz,
    lease_owner text,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (call_id, url)
  )`,
  `CREATE INDEX webhook_streams_due ON webhook_streams (next_at) WHERE next_at IS NOT NULL`,

  `CREATE TABLE webhook_deliveries (
    id uuid PRIMARY KEY,
    stream_id bigint NOT NULL REFERENCES webhook_streams ON DELETE CASCADE,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    call_id uuid REFERENCES calls ON DELETE CASCADE,
    type text NOT NULL,
    event text NOT NULL,
    sequence integer NOT NULL,
    method text NOT NULL,
    url text NOT NULL,
    headers_sealed bytea,
    body text NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'slow', 'delivered', 'dead', 'refused')),
    attempts integer NOT NULL DEFAULT 0,
    slow_tries integer NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL DEFAULT now(),
    last_status integer,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    delivered_at timestamptz
  )`,
  `CREATE INDEX webhook_deliveries_open ON webhook_deliveries (stream_id, sequence) WHERE state IN ('pending', 'slow')`,
  `CREATE INDEX webhook_deliveries_list ON webhook_deliveries (account_id, created_at DESC, id DESC)`,
  `CREATE INDEX webhook_deliveries_call ON webhook_deliveries (call_id, sequence)`,
  `CREATE UNIQUE INDEX webhook_deliveries_post_call_once ON webhook_deliveries (call_id) WHERE type = 'post-call'`,

  `CREATE TABLE webhook_attempts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    delivery_id uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
    attempt integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    status integer,
    latency_ms integer NOT NULL,
    error text,
    response_head text,
    request_headers jsonb NOT NULL DEFAULT '{}'
  )`,
  `CREATE INDEX webhook_attempts_delivery ON webhook_attempts (delivery_id, attempt)`,
  `CREATE INDEX webhook_attempts_age ON webhook_attempts (at)`,

  // The health of each target host (breaker) and of each endpoint of an account (disabling).
  `CREATE TABLE webhook_hosts (
    host text PRIMARY KEY,
    window_started_at timestamptz NOT NULL DEFAULT now(),
    requests integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    open_until timestamptz,
    open_count integer NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE webhook_endpoints (
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    url text NOT NULL,
    failing_since timestamptz,
    disabled_at timestamptz,
    disabled_reason text,
    PRIMARY KEY (account_id, url)
  )`,
];

const TABLES = [
  'webhook_endpoints',
  'webhook_hosts',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_streams',
  'idempotency_keys',
  'call_usage',
  'call_events',
  'calls',
  'dialers',
  'daily_spend',
  'trunk_gates',
  'dial_gates',
  'webhook_secrets',
  'agents',
  'sip_trunks',
  'phone_numbers',
  'api_tokens',
  'accounts',
  'installation',
];

export class Initial1760000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`DROP TABLE ${table}`);
    await runner.query('DROP FUNCTION planned_rows');
  }
}
