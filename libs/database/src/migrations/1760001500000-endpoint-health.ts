import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * Nothing has used these two tables so far, so they are empty and may be changed at will. A host's health is kept per account:
 * hosts are shared by customers who know nothing of each other, and what one of them breaks must not silence another.
 */
const UP = [
  `ALTER TABLE webhook_hosts DROP CONSTRAINT webhook_hosts_pkey`,
  `ALTER TABLE webhook_hosts
     ADD COLUMN account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
     ADD COLUMN probe_until timestamptz,
     ADD PRIMARY KEY (account_id, host)`,
  `CREATE INDEX webhook_hosts_age ON webhook_hosts (window_started_at)`,

  // url is without query and fragment; disabled_reason says what disabled_at did not.
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

/** Breakers per host, and the health and disabling of endpoints. */
export class EndpointHealth1760001500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
