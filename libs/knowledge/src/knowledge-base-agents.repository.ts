import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

/** What an agent searches in total: knowledge bases, and their passages. */
export interface AgentTotals {
  agentId: number;
  knowledgeBases: number;
  chunks: number;
}

const AGENTS_OF = {
  name: 'agents-of-knowledge-bases',
  text: `SELECT knowledge_base_id AS id, array_agg(agent_id ORDER BY agent_id) AS agents FROM knowledge_base_agents
    WHERE account_id = $1 AND knowledge_base_id = ANY ($2::integer[]) GROUP BY knowledge_base_id`,
};

const LINK = {
  name: 'link-agents',
  text: `INSERT INTO knowledge_base_agents (knowledge_base_id, agent_id, account_id)
    SELECT $2, id, $1 FROM unnest($3::integer[]) AS id ORDER BY id ON CONFLICT DO NOTHING`,
};

const UNLINK_OTHERS = {
  name: 'unlink-other-agents',
  text: `DELETE FROM knowledge_base_agents WHERE account_id = $1 AND knowledge_base_id = $2 AND agent_id <> ALL ($3::integer[])`,
};

const TOTALS = {
  name: 'knowledge-totals-of-agents',
  text: `SELECT l.agent_id AS "agentId", count(*)::integer AS "knowledgeBases", sum(b.chunk_count)::integer AS chunks
    FROM knowledge_base_agents l JOIN knowledge_bases b ON b.id = l.knowledge_base_id
    WHERE l.account_id = $1 AND l.agent_id = ANY ($2::integer[]) GROUP BY l.agent_id`,
};

/** The agents that search a knowledge base. */
@Injectable()
export class KnowledgeBaseAgentsRepository {
  constructor(private readonly database: Database) {}

  /** The ids of the agents by knowledge base, ascending. */
  async agentsOf(accountId: number, ids: readonly number[], tx?: Sql): Promise<Map<number, number[]>> {
    const found = await this.database.rows<{ id: number; agents: number[] }>(AGENTS_OF, [accountId, ids], tx);
    return new Map(found.map(({ id, agents }) => [id, agents]));
  }

  /** The agents are locked: each exists in the account. */
  async link(accountId: number, knowledgeBaseId: number, agentIds: readonly number[], tx: Sql): Promise<void> {
    await this.database.rows(LINK, [accountId, knowledgeBaseId, agentIds], tx);
  }

  async unlinkOthers(accountId: number, knowledgeBaseId: number, kept: readonly number[], tx: Sql): Promise<void> {
    await this.database.rows(UNLINK_OTHERS, [accountId, knowledgeBaseId, kept], tx);
  }

  /** Agents without knowledge are missing. */
  totals(accountId: number, agentIds: readonly number[], tx: Sql): Promise<AgentTotals[]> {
    return this.database.rows<AgentTotals & Record<string, unknown>>(TOTALS, [accountId, agentIds], tx);
  }
}
