import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // The agents that use a tool: the owning agent, whose row exists as long as the tool, and further ones. The name makes it unique per agent.
  `CREATE TABLE tool_agents (
    tool_id integer NOT NULL REFERENCES tools ON DELETE CASCADE,
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL,
    PRIMARY KEY (tool_id, agent_id),
    CONSTRAINT tool_agents_name UNIQUE (agent_id, name)
  )`,

  // Triggers, because processes of the previous release create, rename and delete, too.
  `CREATE FUNCTION link_owner_of_tool() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO tool_agents (tool_id, agent_id, account_id, name) VALUES (NEW.id, NEW.agent_id, NEW.account_id, NEW.name);
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER tools_owner AFTER INSERT ON tools FOR EACH ROW EXECUTE FUNCTION link_owner_of_tool()`,
  `CREATE FUNCTION rename_linked_tool() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE tool_agents SET name = NEW.name WHERE tool_id = NEW.id;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER tools_renamed AFTER UPDATE OF name ON tools FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name)
    EXECUTE FUNCTION rename_linked_tool()`,
  // A shared tool outlives its owner: another agent that uses it becomes the owner.
  `CREATE FUNCTION hand_over_tools() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE tools t SET agent_id = heir.agent_id FROM (
          SELECT tool_id, min(agent_id) AS agent_id FROM tool_agents
           WHERE agent_id <> OLD.id AND tool_id IN (SELECT id FROM tools WHERE agent_id = OLD.id) GROUP BY tool_id) heir
        WHERE t.id = heir.tool_id;
      RETURN OLD;
    END $$`,
  `CREATE TRIGGER agents_tools BEFORE DELETE ON agents FOR EACH ROW EXECUTE FUNCTION hand_over_tools()`,
  `INSERT INTO tool_agents (tool_id, agent_id, account_id, name) SELECT id, agent_id, account_id, name FROM tools`,
];

/** Tools that several agents of an account use. */
export class SharedTools1760009120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION hand_over_tools() CASCADE');
    await runner.query('DROP FUNCTION rename_linked_tool() CASCADE');
    await runner.query('DROP FUNCTION link_owner_of_tool() CASCADE');
    await runner.query('DROP TABLE tool_agents');
  }
}
