import { type AgentEntity, AgentsRepository } from '@app/agents';
import { Encryption } from '@app/common';
import type { EntityTransaction } from '@app/database';
import { McpServerListsService } from '@app/tools';
import { Injectable } from '@nestjs/common';
import { agentNode, type ExportedNode } from './exported-nodes.js';

/** Agents as nodes of a workspace file, with their scenarios and MCP servers. */
@Injectable()
export class ExportedAgentsService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly mcpServers: McpServerListsService,
    private readonly encryption: Encryption,
  ) {}

  all(accountId: number, tx: EntityTransaction): Promise<AgentEntity[]> {
    return this.agents.all(accountId, tx);
  }

  /** `numberNames`, `agentNames`: the names of the account's numbers and agents by their ids. */
  async nodes(
    agents: readonly AgentEntity[],
    { numberNames, agentNames }: Record<'numberNames' | 'agentNames', ReadonlyMap<number, string>>,
    tx: EntityTransaction,
  ): Promise<ExportedNode[]> {
    const nodes: ExportedNode[] = [];
    for (const agent of agents) {
      const place = { accountId: agent.accountId, agentId: agent.id };
      const scenarios = await this.agents.scenariosOf(place, tx);
      const tools = await this.mcpServers.exported(place, tx);
      nodes.push(agentNode(agent, { numberNames, agentNames, encryption: this.encryption, scenarios, tools }));
    }
    return nodes;
  }
}
