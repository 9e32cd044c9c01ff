import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // `offered`: the tools that the server listed at its last check, if they differ from the pinned ones; `changes` describes the difference.
  `CREATE TABLE mcp_servers (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    name text NOT NULL,
    url text NOT NULL,
    headers_sealed bytea,
    allowed_tools json,
    timeout_ms integer NOT NULL CHECK (timeout_ms BETWEEN 1000 AND 120000),
    state text NOT NULL CHECK (state IN ('connected', 'changed', 'unreachable')),
    error text,
    changes json NOT NULL DEFAULT '[]',
    skipped json NOT NULL DEFAULT '[]',
    offered json,
    checked_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT mcp_servers_name UNIQUE (agent_id, name)
  )`,
  `CREATE INDEX mcp_servers_list ON mcp_servers (account_id, agent_id, id DESC)`,
  // The servers that are due for their daily check.
  `CREATE INDEX mcp_servers_checked ON mcp_servers (checked_at)`,
  // A pinned tool of an MCP server is a tool of the agent, without actions.
  `ALTER TABLE tools ADD COLUMN mcp_server_id integer REFERENCES mcp_servers ON DELETE CASCADE, ADD COLUMN mcp_name text`,
  `CREATE INDEX tools_mcp_server ON tools (mcp_server_id) WHERE mcp_server_id IS NOT NULL`,
];

/** MCP servers of agents, and their pinned tools. */
export class McpServers1760004400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM tools WHERE mcp_server_id IS NOT NULL');
    await runner.query('ALTER TABLE tools DROP COLUMN mcp_name, DROP COLUMN mcp_server_id');
    await runner.query('DROP TABLE mcp_servers');
  }
}
