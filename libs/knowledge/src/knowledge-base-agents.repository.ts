import type { EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Not, Repository } from 'typeorm';
import { KnowledgeBaseAgentEntity } from './knowledge-base.entity.js';

/** What an agent searches in total: knowledge bases, and their passages. */
export interface AgentTotals {
  agentId: number;
  knowledgeBases: number;
  chunks: number;
}

/** The agents that search a knowledge base. */
@Injectable()
export class KnowledgeBaseAgentsRepository {
  constructor(
    @InjectRepository(KnowledgeBaseAgentEntity) private readonly links: Repository<KnowledgeBaseAgentEntity>,
  ) {}

  /** The ids of the agents by knowledge base, ascending. */
  async agentsOf(accountId: number, ids: readonly number[], tx?: EntityTransaction): Promise<Map<number, number[]>> {
    const links = tx?.manager.getRepository(KnowledgeBaseAgentEntity) ?? this.links;
    const where = { accountId, knowledgeBaseId: In([...ids]) };
    const found = await links.find({ where, order: { knowledgeBaseId: 'ASC', agentId: 'ASC' } });
    const agents = new Map<number, number[]>();
    for (const { knowledgeBaseId, agentId } of found)
      agents.set(knowledgeBaseId, [...(agents.get(knowledgeBaseId) ?? []), agentId]);
    return agents;
  }

  /** The agents are locked: each exists in the account. */
  async link(
    accountId: number,
    knowledgeBaseId: number,
    agentIds: readonly number[],
    tx: EntityTransaction,
  ): Promise<void> {
    const rows = agentIds.map((agentId) => ({ accountId, knowledgeBaseId, agentId }));
    const links = tx.manager.createQueryBuilder().insert().into(KnowledgeBaseAgentEntity);
    await links.values(rows).orIgnore().execute();
  }

  async unlinkOthers(
    accountId: number,
    knowledgeBaseId: number,
    kept: readonly number[],
    tx: EntityTransaction,
  ): Promise<void> {
    await tx.manager.delete(KnowledgeBaseAgentEntity, { accountId, knowledgeBaseId, agentId: Not(In([...kept])) });
  }

  /** Agents without knowledge are missing. */
  totals(accountId: number, agentIds: readonly number[], tx: EntityTransaction): Promise<AgentTotals[]> {
    return tx.manager
      .createQueryBuilder(KnowledgeBaseAgentEntity, 'link')
      .innerJoin('link.knowledgeBase', 'one')
      .select('link.agentId', 'agentId')
      .addSelect('count(*)::integer', 'knowledgeBases')
      .addSelect('sum(one.chunkCount)::integer', 'chunks')
      .where({ accountId, agentId: In([...agentIds]) })
      .groupBy('link.agentId')
      .getRawMany<AgentTotals>();
  }
}
