import type { MigrationInterface, QueryRunner } from 'typeorm';

const EARLIER = [
  ...['account:read', 'agents:read', 'agents:write', 'audit:read', 'calls:read', 'calls:write', 'knowledge:read'],
  ...['knowledge:write', 'numbers:read', 'numbers:write', 'tokens:read', 'tokens:write', 'tools:read', 'tools:write'],
  ...['trunks:read', 'trunks:write', 'webhooks:read', 'webhooks:write'],
];
const ADDED = ['campaigns:read', 'campaigns:write', 'compliance:read', 'compliance:write'];

const list = (scopes: string[]): string => `ARRAY[${scopes.map((scope) => `'${scope}'`).join(', ')}]::text[]`;

const STATEMENTS = [
  // A call with `due_at` is not in the queue yet.
  `ALTER TABLE calls ADD COLUMN due_at timestamptz, ADD COLUMN campaign_id integer, ADD COLUMN contact_id uuid`,
  `DROP INDEX calls_waiting`,
  // Within an account the calls that may be claimed precede those that wait for their time.
  `CREATE INDEX calls_waiting ON calls (account_id, due_at NULLS FIRST, id) WHERE status = 'pending' AND owner IS NULL`,
  `CREATE INDEX calls_due ON calls (due_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX calls_campaign ON calls (campaign_id, id) WHERE campaign_id IS NOT NULL`,
  `CREATE TABLE campaigns (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL,
    agent_id integer REFERENCES agents ON DELETE SET NULL,
    agent_version integer,
    number_ids integer[] NOT NULL,
    rotation text NOT NULL DEFAULT 'round_robin',
    trunk_id integer REFERENCES sip_trunks ON DELETE SET NULL,
    record boolean NOT NULL DEFAULT true,
    metadata jsonb,
    variables jsonb,
    schedule jsonb NOT NULL,
    retry jsonb NOT NULL,
    pacing jsonb NOT NULL,
    webhook jsonb,
    status text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'running', 'paused', 'completed', 'cancelled')),
    pause_reason text,
    started_at timestamptz,
    resumed_at timestamptz,
    ended_at timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    next_call_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, name)
  )`,
  `CREATE INDEX campaigns_running ON campaigns (id) WHERE status = 'running'`,
  `CREATE TABLE campaign_contacts (
    id uuid PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    campaign_id integer NOT NULL REFERENCES campaigns ON DELETE CASCADE,
    to_number text NOT NULL,
    time_zone text,
    not_before timestamptz,
    metadata jsonb,
    variables jsonb,
    status text NOT NULL DEFAULT 'waiting'
      CHECK (status IN ('waiting', 'calling', 'reached', 'exhausted', 'refused', 'cancelled')),
    due_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
    reason text,
    attempts integer NOT NULL DEFAULT 0,
    outcome text,
    hangup_cause text,
    call_id uuid,
    last_attempt_at timestamptz,
    CONSTRAINT campaign_contacts_number_key UNIQUE (campaign_id, to_number)
  )`,
  `CREATE INDEX campaign_contacts_list ON campaign_contacts (campaign_id, id)`,
  `CREATE INDEX campaign_contacts_by_status ON campaign_contacts (campaign_id, status, id)`,
  `CREATE INDEX campaign_contacts_due ON campaign_contacts (campaign_id, due_at, id) WHERE status = 'waiting'`,
  `CREATE INDEX campaign_contacts_calling ON campaign_contacts (campaign_id) WHERE status = 'calling'`,
  `CREATE TABLE campaign_progress (
    campaign_id integer NOT NULL REFERENCES campaigns ON DELETE CASCADE,
    key text NOT NULL,
    contacts bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (campaign_id, key)
  )`,
  // Tokens with every scope of a tenant (`*`) keep every scope.
  `UPDATE api_tokens SET scopes = scopes || ${list(ADDED)} WHERE scopes @> ${list(EARLIER)} AND NOT scopes && ${list(ADDED)}`,
];

/** Campaigns, and calls that wait for their time. */
export class Campaigns1760006000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE campaign_progress, campaign_contacts, campaigns');
    await runner.query('DROP INDEX calls_waiting, calls_due, calls_campaign');
    await runner.query('ALTER TABLE calls DROP COLUMN due_at, DROP COLUMN campaign_id, DROP COLUMN contact_id');
    await runner.query(
      `CREATE INDEX calls_waiting ON calls (account_id, id) WHERE status = 'pending' AND owner IS NULL`,
    );
    await runner.query(
      `UPDATE api_tokens SET scopes = ARRAY(SELECT s FROM unnest(scopes) s WHERE s <> ALL (${list(ADDED)})) WHERE scopes && ${list(ADDED)}`,
    );
  }
}
