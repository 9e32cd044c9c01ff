import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // The columns of `agents` hold the current version; a canary takes `canary_percent` of the new calls beside it.
  `ALTER TABLE agents
    ADD COLUMN version integer NOT NULL DEFAULT 1,
    ADD COLUMN last_version integer NOT NULL DEFAULT 1,
    ADD COLUMN canary_version integer,
    ADD COLUMN canary_percent integer,
    ADD COLUMN publish_requires text[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT agents_canary_check CHECK ((canary_version IS NULL) = (canary_percent IS NULL)
      AND (canary_percent IS NULL OR canary_percent BETWEEN 1 AND 99))`,

  // `settings` is null for the current version, whose settings are the columns of the agent.
  `CREATE TABLE agent_versions (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    version integer NOT NULL,
    state text NOT NULL CHECK (state IN ('draft', 'current', 'canary', 'superseded')),
    settings jsonb,
    note text NOT NULL DEFAULT '',
    created_by_kind text,
    created_by_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    published_at timestamptz,
    CONSTRAINT agent_versions_settings_check CHECK ((state = 'current') = (settings IS NULL)),
    CONSTRAINT agent_versions_agent_id_version_key UNIQUE (agent_id, version)
  )`,
  // A trigger, because processes of the previous release create agents, too.
  `CREATE FUNCTION add_first_agent_version() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO agent_versions (account_id, agent_id, version, state, created_at, published_at)
        VALUES (NEW.account_id, NEW.id, NEW.version, 'current', NEW.created_at, NEW.created_at);
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER agents_first_version AFTER INSERT ON agents FOR EACH ROW EXECUTE FUNCTION add_first_agent_version()`,
  `INSERT INTO agent_versions (account_id, agent_id, version, state, created_at, published_at)
    SELECT account_id, id, version, 'current', created_at, created_at FROM agents`,

  // Scenarios of an agent; `agents.publish_requires` names those that must pass.
  `CREATE TABLE agent_scenarios (
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    name text NOT NULL,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    scenario jsonb NOT NULL,
    PRIMARY KEY (agent_id, name)
  )`,

  // null: a call of an earlier release, with the settings of the agent's columns.
  `ALTER TABLE calls ADD COLUMN agent_version integer`,
  // Calls outlive their agent. A statement that creates a call locks the agent instead.
  `ALTER TABLE calls DROP CONSTRAINT calls_agent_id_fkey`,
];

/** Versions and scenarios of agents; agents that can be deleted. */
export class AgentVersions1760004000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE calls ADD CONSTRAINT calls_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents NOT VALID',
    );
    await runner.query('ALTER TABLE calls DROP COLUMN agent_version');
    await runner.query('DROP TABLE agent_scenarios');
    await runner.query('DROP FUNCTION add_first_agent_version() CASCADE');
    await runner.query('DROP TABLE agent_versions');
    await runner.query(
      `ALTER TABLE agents DROP COLUMN version, DROP COLUMN last_version, DROP COLUMN canary_version,
        DROP COLUMN canary_percent, DROP COLUMN publish_requires`,
    );
  }
}
