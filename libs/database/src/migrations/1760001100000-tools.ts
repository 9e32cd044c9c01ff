import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // json, not jsonb: properties reach the model, and payloads their endpoint, in the order in which they were written.
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
  // An agent has a hundred tools at most: filters by state and name are read off its own rows.
  `CREATE INDEX tools_list ON tools (account_id, agent_id, id DESC)`,

  // The values of headers are secrets: all headers of an action are one sealed list.
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

/** What agents may do besides talking, and the requests it is done by. */
export class Tools1760001100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tool_actions');
    await runner.query('DROP TABLE tools');
  }
}
