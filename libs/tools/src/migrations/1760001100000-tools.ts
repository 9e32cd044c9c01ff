import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // json, not jsonb, keeps the order of the properties for the model and of the payload for the endpoint.
  `CREATE TABLE tools (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    name text NOT NULL,
    description text NOT NULL,
    is_active boolean NOT NULL DEFAULT true,
    parameters json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT tools_name UNIQUE (agent_id, name)
  )`,
  // An agent has at most a hundred tools, so that filters by state and name need no index.
  `CREATE INDEX tools_list ON tools (account_id, agent_id, id DESC)`,

  // Header values may be secrets, so all headers of an action are one encrypted list.
  `CREATE TABLE tool_actions (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    tool_id integer NOT NULL REFERENCES tools ON DELETE CASCADE,
    position smallint NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    method text NOT NULL CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
    payload json,
    headers_sealed bytea,
    query_params json,
    wait_response boolean NOT NULL,
    timeout_ms integer NOT NULL CHECK (timeout_ms BETWEEN 1000 AND 120000),
    UNIQUE (tool_id, position)
  )`,
];

/** The tools of agents, and the requests that they send. */
export class Tools1760001100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tool_actions');
    await runner.query('DROP TABLE tools');
  }
}
