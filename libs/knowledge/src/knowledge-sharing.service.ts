import {
  type AgentOfAccount,
  type CodedProblem,
  type Env,
  noRecord,
  NotFound,
  refuseEntries,
  withCode,
} from '@app/common';
import { type EntityTransaction, RecordExistenceRepository } from '@app/database';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { type AgentTotals, KnowledgeBaseAgentsRepository } from './knowledge-base-agents.repository.js';
import type { KnowledgeBaseEntity } from './knowledge-base.entity.js';
import { KnowledgeChunksRepository } from './knowledge-chunks.repository.js';
import { CHUNKS_PER_AGENT } from './limits.js';

/** A knowledge base with all agents that search it, the owning one included. */
export type SharedKnowledgeBase = KnowledgeBaseEntity & { agentIds: number[] };

/** The owning agent, and the agents of the request, in its order: problems are reported by index. */
interface Sharing {
  owner: AgentOfAccount;
  agentIds: readonly number[];
}

/**
 * The agents that search a knowledge base. A transaction locks the row of the knowledge base first, then the rows of all its agents in
 * the order of their ids.
 */
@Injectable()
export class KnowledgeSharingService {
  constructor(
    private readonly agents: KnowledgeBaseAgentsRepository,
    private readonly chunks: KnowledgeChunksRepository,
    private readonly existence: RecordExistenceRepository,
    @Inject(ENV) private readonly env: Env,
  ) {}

  async withAgents(
    accountId: number,
    all: readonly KnowledgeBaseEntity[],
    tx?: EntityTransaction,
  ): Promise<SharedKnowledgeBase[]> {
    if (all.length === 0) return [];
    const ids = all.map(({ id }) => id);
    const agentsOf = await this.agents.agentsOf(accountId, ids, tx);
    return all.map((one) => Object.assign(one, { agentIds: agentsOf.get(one.id) ?? [one.agentId] }));
  }

  /** Throws NotFound if the owner does not exist in the account, and InvalidFields for other agents. */
  async requireAgents(sharing: Sharing): Promise<void> {
    checkExisting(sharing, await this.existence.existing(sharing.owner.accountId, 'agents', everyAgent(sharing)));
  }

  /**
   * Locks the agents of a new knowledge base. Throws as `requireAgents`, and InvalidFields for agents without room. @returns the
   * number of knowledge bases of the owner.
   */
  async lockForNew(sharing: Sharing, tx: EntityTransaction): Promise<number> {
    const { owner, agentIds } = sharing;
    const everyone = everyAgent(sharing);
    checkExisting(sharing, await this.existence.lockAll(owner.accountId, 'agents', everyone, tx));
    const totals = await this.agents.totals(owner.accountId, everyone, tx);
    const most = this.env.KNOWLEDGE_BASES_PER_AGENT;
    const shared = totals.filter(({ agentId }) => agentId !== owner.agentId);
    refuse(agentIds, shared, ({ knowledgeBases }) => (knowledgeBases < most ? undefined : hasMost(most)));
    return totals.find(({ agentId }) => agentId === owner.agentId)?.knowledgeBases ?? 0;
  }

  /** Shares a new knowledge base; a trigger has linked its owner. */
  async share({ owner, agentIds }: Sharing, knowledgeBaseId: number, tx: EntityTransaction): Promise<void> {
    if (agentIds.length > 0) await this.agents.link(owner.accountId, knowledgeBaseId, agentIds, tx);
  }

  /**
   * Replaces the agents of a knowledge base, whose row the transaction has locked, and raises the version of all previous and new ones.
   * Throws InvalidFields for agents that do not exist or have no room.
   */
  async replace(sharing: Sharing, knowledgeBaseId: number, tx: EntityTransaction): Promise<void> {
    const { owner, agentIds } = sharing;
    const { accountId } = owner;
    const everyone = everyAgent(sharing);
    const before = (await this.agents.agentsOf(accountId, [knowledgeBaseId], tx)).get(knowledgeBaseId) ?? [];
    checkExisting(sharing, await this.existence.lockAll(accountId, 'agents', [...everyone, ...before], tx));
    await this.agents.link(accountId, knowledgeBaseId, everyone, tx);
    await this.chunks.raiseVersion({ accountId, knowledgeBaseId }, tx);
    await this.agents.unlinkOthers(accountId, knowledgeBaseId, everyone, tx);
    const added = everyone.filter((id) => !before.includes(id));
    if (added.length === 0) return;
    const most = this.env.KNOWLEDGE_BASES_PER_AGENT;
    refuse(agentIds, await this.agents.totals(accountId, added, tx), ({ knowledgeBases, chunks }) => {
      if (knowledgeBases > most) return hasMost(most);
      return chunks > CHUNKS_PER_AGENT ? TOO_MANY_PASSAGES : undefined;
    });
  }
}

const everyAgent = ({ owner, agentIds }: Sharing): number[] => [...new Set([owner.agentId, ...agentIds])];

function checkExisting({ owner, agentIds }: Sharing, existing: ReadonlySet<number>): void {
  if (!existing.has(owner.agentId)) throw new NotFound('Agent');
  refuseEntries('agent_ids', agentIds, (id) => (existing.has(id) ? undefined : noRecord('agent', id)));
}

function refuse(
  agentIds: readonly number[],
  totals: readonly AgentTotals[],
  problemOf: (totals: AgentTotals) => CodedProblem | undefined,
): void {
  const problems = new Map(totals.map((one) => [one.agentId, problemOf(one)]));
  refuseEntries('agent_ids', agentIds, (id) => problems.get(id));
}

const hasMost = (most: number): CodedProblem =>
  withCode('limit_reached', `The agent has ${most.toLocaleString('en-US')} knowledge bases, which is the maximum.`);

const TOO_MANY_PASSAGES = withCode(
  'limit_reached',
  `The knowledge bases of the agent would have more than ${CHUNKS_PER_AGENT.toLocaleString('en-US')} passages in total.`,
);
