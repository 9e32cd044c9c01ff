import { isoTime } from '@app/common';
import { Injectable } from '@nestjs/common';
import { AgentsRepository, type ListedAgent } from './agents.repository.js';

/** Agents, for the API. They are created and changed by workspace files, see WorkspaceService. */
@Injectable()
export class AgentsService {
  constructor(private readonly agents: AgentsRepository) {}

  /** A page of the account's agents by name. */
  async list(
    accountId: number,
    place: { page: number; perPage: number },
  ): Promise<{ agents: AgentView[]; total: number }> {
    const [agents, total] = await this.agents.page(accountId, place);
    return { agents: agents.map(agentView), total };
  }
}

/** An agent as the API shows it, without instructions and webhooks. */
const agentView = (agent: ListedAgent) => ({
  id: agent.id,
  name: agent.name,
  provider: agent.provider,
  active: agent.active,
  greeting: agent.greeting,
  max_call_seconds: agent.maxCallSeconds,
  ring_timeout_seconds: agent.ringTimeoutSeconds,
  transfer_enabled: agent.transferEnabled,
  created_at: isoTime(agent.createdAt),
  updated_at: isoTime(agent.updatedAt),
});

export type AgentView = ReturnType<typeof agentView>;
