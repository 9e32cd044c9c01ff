import { CallsInProgressRepository } from '@app/accounts';
import { type Acting, AuditService } from '@app/audit';
import { type AgentOfAccount, Conflict, NotFound } from '@app/common';
import { Database, type EntityTransaction, FOREIGN_KEY_VIOLATION, hasCode } from '@app/database';
import { KnowledgeDeletionService } from '@app/knowledge';
import { Injectable } from '@nestjs/common';
import type { AgentEntity } from './agent.entity.js';
import { AgentsRepository } from './agents.repository.js';

/** Deletes agents with everything that only they use: versions, scenarios, tools and knowledge bases. Their calls remain. */
@Injectable()
export class AgentDeletionService {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentsRepository,
    private readonly calls: CallsInProgressRepository,
    private readonly knowledge: KnowledgeDeletionService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Throws NotFound, and Conflict while the agent has active calls, or when other agents search one of its knowledge bases. After a crash
   * a second deletion does the rest.
   */
  async delete(agent: AgentOfAccount & Acting): Promise<void> {
    await this.deactivate(agent);
    await this.knowledge.deleteOwned(agent);
    try {
      await this.database.entityTransaction((tx) => this.deleteAgent(agent, tx));
    } catch (error) {
      if (!hasCode(error, FOREIGN_KEY_VIOLATION)) throw error;
      throw new Conflict('A knowledge base was added to the agent at the same time. Delete the agent again.');
    }
  }

  /** `delete` in the transaction of a workspace file. @returns what deletes the files of documents, for after the transaction */
  async deleteWithin(agent: AgentOfAccount & Acting, tx: EntityTransaction): Promise<() => Promise<void>> {
    const deleteFiles = await this.knowledge.deleteOwnedWithin(agent, tx);
    await this.deleteAgent(agent, tx);
    return deleteFiles;
  }

  /** New calls are refused from here on: none starts while the knowledge bases are deleted. */
  private async deactivate(agent: AgentOfAccount): Promise<void> {
    await this.database.entityTransaction(async (tx) => {
      await this.lockIdle(agent, tx);
      await this.agents.update(agent.agentId, { active: false }, tx);
    });
  }

  private async deleteAgent({ accountId, actor, agentId }: AgentOfAccount & Acting, tx: EntityTransaction) {
    const { name } = await this.lockIdle({ accountId, agentId }, tx);
    await this.agents.delete(agentId, tx);
    const subject = { kind: 'agent' as const, id: agentId };
    await this.audit.record({ accountId, actor, action: 'agent.deleted', subject, details: { name } }, tx);
  }

  private async lockIdle(agent: AgentOfAccount, tx: EntityTransaction): Promise<AgentEntity> {
    const { accountId, agentId } = agent;
    const stored = await this.agents.lock({ accountId, id: agentId }, tx, 'pessimistic_write');
    if (!stored) throw new NotFound('Agent');
    if (await this.calls.useAgent(accountId, agentId, tx))
      throw new Conflict(
        'An agent with active or queued calls cannot be deleted. Wait for them to end, or cancel them.',
      );
    return stored;
  }
}
