import { isoTime, NotFound } from '@app/common';
import type { EntityTransaction } from '@app/database';
import { mergedRedaction, type Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';
import type { AgentEntity } from './agent.entity.js';
import { type AgentSettings, AgentsRepository, type ListedAgent, type NamedAgent } from './agents.repository.js';

/** Lists and finds agents, without their secrets. AgentRecordsService creates and changes them. */
@Injectable()
export class AgentsService {
  constructor(private readonly agents: AgentsRepository) {}

  /** A page of the account's agents by name. */
  async list(
    accountId: number,
    place: { page: number; perPage: number },
  ): Promise<{ agents: AgentSummaryView[]; total: number }> {
    const [agents, total] = await this.agents.page(accountId, place);
    return { agents: agents.map(agentSummary), total };
  }

  /** The settings of an agent for a simulation. undefined: the account has no such agent. */
  settings(accountId: number, agentId: number): Promise<AgentSettings | undefined> {
    return this.agents.settings(accountId, agentId);
  }

  /** What is removed from everything that is stored about conversations with the agent; `version`: columns that replace the current ones. */
  async redaction(
    { accountId, agentId }: { accountId: number; agentId: number },
    version?: Record<string, unknown>,
  ): Promise<Redaction | null> {
    const found = await this.agents.settings(accountId, agentId);
    if (!found) throw new NotFound('Agent');
    const { account_redaction: account, redaction: agent }: AgentSettings = { ...found, ...version };
    return mergedRedaction(account, agent);
  }

  /** The agents of an account by name, for a workspace file. */
  all(accountId: number, tx: EntityTransaction): Promise<AgentEntity[]> {
    return this.agents.all(accountId, tx);
  }

  /** Up to two agents of any account, for the command line: `account` is a name, `agent` a name or an id; undefined matches all. */
  named(account: string | undefined, agent: string | undefined): Promise<NamedAgent[]> {
    return this.agents.named(account, agent);
  }
}

/** An agent as the API shows it, without instructions and webhooks. */
const agentSummary = (agent: ListedAgent) => ({
  id: agent.id,
  name: agent.name,
  provider: agent.provider,
  active: agent.active,
  greeting: agent.greeting,
  max_call_seconds: agent.maxCallSeconds,
  ring_timeout_seconds: agent.ringTimeoutSeconds,
  transfer_enabled: agent.transferEnabled,
  version: agent.version,
  created_at: isoTime(agent.createdAt),
  updated_at: isoTime(agent.updatedAt),
});

export type AgentSummaryView = ReturnType<typeof agentSummary>;
