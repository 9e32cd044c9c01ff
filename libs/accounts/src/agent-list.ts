import { isoTime } from '@app/common';
import { rows, type Sql } from '@app/database';

interface AgentRow {
  id: number;
  name: string;
  provider: string;
  active: boolean;
  greeting: string;
  max_call_seconds: number;
  ring_timeout_seconds: number;
  transfer_enabled: boolean;
  created_at: Date;
  updated_at: Date;
}

const PAGE = {
  name: 'list-agents',
  text: `SELECT id, name, provider, active, greeting, max_call_seconds, ring_timeout_seconds, transfer_enabled, created_at, updated_at
    FROM agents WHERE account_id = $1 ORDER BY name LIMIT $2 OFFSET $3`,
};
const COUNT = { name: 'count-agents', text: 'SELECT count(*)::integer AS total FROM agents WHERE account_id = $1' };

/** The account's agents by name, as the API shows them: nothing of what they are told, no webhook. */
export async function pageOfAgents(
  sql: Sql,
  accountId: number,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ agents: AgentView[]; total: number }> {
  const [agents, [count]] = await Promise.all([
    rows<AgentRow & Record<string, unknown>>(sql, PAGE, [accountId, perPage, (page - 1) * perPage]),
    rows<{ total: number }>(sql, COUNT, [accountId]),
  ]);
  return { agents: agents.map(agentView), total: count?.total ?? 0 };
}

const agentView = (row: AgentRow) => ({
  id: row.id,
  name: row.name,
  provider: row.provider,
  active: row.active,
  greeting: row.greeting,
  max_call_seconds: row.max_call_seconds,
  ring_timeout_seconds: row.ring_timeout_seconds,
  transfer_enabled: row.transfer_enabled,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
});

export type AgentView = ReturnType<typeof agentView>;
