import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * No release has used these two tables, so they are empty. The health of a host is stored for each account, because customers share
 * hosts, and the failures of one customer must not stop the webhooks of another.
 */
const UP = [
  `ALTER TABLE webhook_hosts DROP CONSTRAINT webhook_hosts_pkey`,
  `ALTER TABLE webhook_hosts
     ADD COLUMN account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
     ADD COLUMN probe_until timestamptz,
     ADD PRIMARY KEY (account_id, host)`,
  `CREATE INDEX webhook_hosts_age ON webhook_hosts (window_started_at)`,

  // url has no query and no fragment.
  `ALTER TABLE webhook_endpoints
     ADD COLUMN id integer GENERATED ALWAYS AS IDENTITY,
     ADD COLUMN last_status integer,
     ADD COLUMN last_failure_at timestamptz,
     ADD COLUMN last_success_at timestamptz,
     ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now(),
     ADD CHECK (disabled_reason IN ('gone', 'failing')),
     ADD CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))`,
  `CREATE UNIQUE INDEX webhook_endpoints_list ON webhook_endpoints (account_id, id)`,
  `CREATE INDEX webhook_endpoints_age ON webhook_endpoints (seen_at) WHERE disabled_at IS NULL`,
];

const DOWN = [
  `ALTER TABLE webhook_endpoints DROP COLUMN seen_at, DROP COLUMN last_success_at, DROP COLUMN last_failure_at,
     DROP COLUMN last_status, DROP COLUMN id`,
  `DELETE FROM webhook_hosts`,
  `ALTER TABLE webhook_hosts DROP COLUMN probe_until, DROP COLUMN account_id, ADD PRIMARY KEY (host)`,
];

/** Breakers of hosts, and the health and disabling of endpoints. */
export class EndpointHealth1760001500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
