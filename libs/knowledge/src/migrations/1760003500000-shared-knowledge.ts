import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // The agents that search a knowledge base: the owning agent, whose row exists as long as the knowledge base, and further ones.
  `CREATE TABLE knowledge_base_agents (
    knowledge_base_id integer NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    PRIMARY KEY (knowledge_base_id, agent_id)
  )`,
  // The knowledge bases of an agent in the order of their ids. The agent comes first for the foreign key.
  `CREATE INDEX knowledge_base_agents_agent ON knowledge_base_agents (agent_id, account_id, knowledge_base_id)`,

  // A trigger, because processes of the previous release create knowledge bases, too.
  `CREATE FUNCTION link_owning_agent() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO knowledge_base_agents (knowledge_base_id, agent_id, account_id)
        VALUES (NEW.id, NEW.agent_id, NEW.account_id);
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER knowledge_bases_owner AFTER INSERT ON knowledge_bases FOR EACH ROW EXECUTE FUNCTION link_owning_agent()`,
  `INSERT INTO knowledge_base_agents (knowledge_base_id, agent_id, account_id) SELECT id, agent_id, account_id FROM knowledge_bases`,

  // null: the call uses all knowledge bases of its agent; empty: none.
  `ALTER TABLE calls ADD COLUMN knowledge_base_ids integer[]`,
];

/** Knowledge bases that several agents search, and the knowledge bases of a single call. */
export class SharedKnowledge1760003500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN knowledge_base_ids');
    await runner.query('DROP FUNCTION link_owning_agent() CASCADE');
    await runner.query('DROP TABLE knowledge_base_agents');
  }
}
