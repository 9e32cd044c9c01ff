import { rows, type Sql } from '@app/database';
import type { SearchedAgent } from './search/knowledge-search.js';

/** What an agent can look up, as it was when it was asked for. */
export interface AgentKnowledge {
  /** Of the knowledge bases that searches see; at least one. */
  titles: string[];
  /** All passages in reading order, when they are short enough together to be told at once. */
  whole?: KnowledgePart[];
}

export interface KnowledgePart {
  title: string;
  headingPath: string[];
  text: string;
}

/** Under this much a model is told everything, and needs no search for it. */
export const TOLD_AT_ONCE_TOKENS = 2_000;
/** Ten characters a token is more than any script needs: longer ones are not even read. */
const MAY_BE_SHORT_CHARACTERS = TOLD_AT_ONCE_TOKENS * 10;
const MOST_TITLES = 1_000;

const SEARCHED = `account_id = $1 AND agent_id = $2 AND is_active AND serving IS NOT NULL`;

const BASES = {
  name: 'agent-knowledge',
  text: `SELECT title, character_count FROM knowledge_bases WHERE ${SEARCHED} ORDER BY id LIMIT ${MOST_TITLES}`,
};

const WHOLE = {
  name: 'agent-knowledge-text',
  text: `SELECT b.title, c.heading_path, c.text, c.tokens
    FROM (SELECT id, title, serving FROM knowledge_bases WHERE ${SEARCHED}) b
      JOIN knowledge_chunks c ON c.knowledge_base_id = b.id AND c.generation = b.serving
    ORDER BY b.id, c.ordinal`,
};

/** Undefined: there is nothing to be searched: no knowledge base, or none that is active and complete. */
export async function knowledgeOf(sql: Sql, agent: SearchedAgent): Promise<AgentKnowledge | undefined> {
  const bases = await rows<{ title: string; character_count: number }>(sql, BASES, [agent.accountId, agent.agentId]);
  if (bases.length === 0) return undefined;
  const titles = bases.map(({ title }) => title);
  const characters = bases.reduce((sum, one) => sum + one.character_count, 0);
  const mayBeShort = characters <= MAY_BE_SHORT_CHARACTERS && bases.length < MOST_TITLES;
  const whole = mayBeShort ? await wholeOf(sql, agent) : undefined;
  return { titles, ...(whole && { whole }) };
}

async function wholeOf(sql: Sql, { accountId, agentId }: SearchedAgent): Promise<KnowledgePart[] | undefined> {
  const parts = await rows<{ title: string; heading_path: string[]; text: string; tokens: number }>(sql, WHOLE, [
    accountId,
    agentId,
  ]);
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  if (tokens >= TOLD_AT_ONCE_TOKENS) return undefined;
  return parts.map(({ title, heading_path: headingPath, text }) => ({ title, headingPath, text }));
}
