import { rows, type CallDirection, type CallSettings } from '@app/database';
import { type AgentKnowledge, knowledgeOf } from '@app/knowledge';
import { type AgentTool, toolsOfAgent } from '@app/tools';
import type { Pool } from 'pg';
import {
  DIAL_TRUNK,
  type DialTrunk,
  type StoredAnsweringMachine,
  type StoredConversation,
  type StoredProviderOptions,
} from '@app/accounts';

/** Everything that placing one call needs, read when it is claimed. */
export interface DialOrder {
  id: string;
  account_id: number;
  direction: CallDirection;
  to_number: string;
  from_number: string;
  record: boolean;
  metadata: Record<string, unknown> | null;
  settings: CallSettings;
  agent_id: number;
  agent_name: string;
  provider: string;
  provider_options: StoredProviderOptions;
  instructions: string;
  greeting: string;
  max_call_seconds: number;
  ring_timeout_seconds: number;
  answering_machine: StoredAnsweringMachine | null;
  conversation: StoredConversation | null;
  trunk: DialTrunk | null;
  daily_spend_micros: string | null;
  spent_micros: string;
  destinations_allow: string[];
  destinations_deny: string[];
  /** Its agent, its number and its trunk, if it has one, may be used. */
  active: boolean;
  /** What the agent can look up; absent: nothing. */
  knowledge?: AgentKnowledge;
  /** What the account has defined for it to do. */
  tools: AgentTool[];
  created_at: Date;
  /** Of the span that the call began with. */
  trace_parent: string | null;
}

interface StoredOrder extends Omit<DialOrder, 'knowledge' | 'tools'> {
  has_knowledge: boolean;
  has_tools: boolean;
}

const ORDER = {
  name: 'dial-order',
  text: `SELECT c.id, c.account_id, c.direction, c.to_number, c.from_number, c.record, c.metadata, c.settings, c.agent_id, c.agent_name,
      c.created_at, c.trace_parent,
      a.provider, a.provider_options, a.instructions, a.greeting, a.max_call_seconds, a.ring_timeout_seconds, a.answering_machine, a.conversation,
      CASE WHEN t.id IS NULL THEN NULL ELSE ${DIAL_TRUNK} END AS trunk,
      o.daily_spend_micros, o.destinations_allow, o.destinations_deny,
      a.active AND n.active AND coalesce(t.active, true) AS active,
      coalesce((SELECT s.micros FROM daily_spend s
        WHERE s.account_id = c.account_id AND s.day = (now() AT TIME ZONE 'UTC')::date), 0) AS spent_micros,
      EXISTS (SELECT 1 FROM knowledge_bases k WHERE k.account_id = c.account_id AND k.agent_id = c.agent_id
        AND k.is_active AND k.serving IS NOT NULL) AS has_knowledge,
      EXISTS (SELECT 1 FROM tools l WHERE l.account_id = c.account_id AND l.agent_id = c.agent_id AND l.is_active) AS has_tools
    FROM calls c JOIN agents a ON a.id = c.agent_id JOIN phone_numbers n ON n.id = c.number_id JOIN accounts o ON o.id = c.account_id
      LEFT JOIN sip_trunks t ON t.id = c.trunk_id
    WHERE c.id = $1 AND c.owner = $2 AND c.ended_at IS NULL`,
};

/** Undefined: the call is not this dialer's any more. */
export async function loadDial(pool: Pool, call: { id: string; owner: string }): Promise<DialOrder | undefined> {
  const [row] = await rows<StoredOrder & Record<string, unknown>>(pool, ORDER, [call.id, call.owner]);
  if (!row) return undefined;
  const { has_knowledge: hasKnowledge, has_tools: hasTools, ...order } = row;
  const agent = { accountId: order.account_id, agentId: order.agent_id };
  const [knowledge, tools] = await Promise.all([
    hasKnowledge ? knowledgeOf(pool, agent) : undefined,
    hasTools ? toolsOfAgent(pool, agent) : [],
  ]);
  return { ...order, knowledge, tools };
}
