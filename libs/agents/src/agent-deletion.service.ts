import { CallsInProgressRepository, NumbersService, type PhoneNumberEntity } from '@app/accounts';
import { type Acting, AuditService } from '@app/audit';
import { type AgentOfAccount, Conflict, InvalidFields, NotFound, withCode } from '@app/common';
import { Database, type EntityTransaction, FOREIGN_KEY_VIOLATION, hasCode } from '@app/database';
import { KnowledgeDeletionService } from '@app/knowledge';
import { Injectable } from '@nestjs/common';
import type { AgentEntity } from './agent.entity.js';
import { AgentsRepository } from './agents.repository.js';

interface AgentDeletionOptions {
  /** Conflict when the agent answers numbers. */
  ifUnused?: boolean;
  /** The agent that answers its numbers from now on. */
  reassignTo?: number;
}

/** Deletes agents with everything that only they use: versions, scenarios, tools and knowledge bases. Their calls remain. */
@Injectable()
export class AgentDeletionService {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentsRepository,
    private readonly calls: CallsInProgressRepository,
    private readonly numbers: NumbersService,
    private readonly knowledge: KnowledgeDeletionService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Throws NotFound, and Conflict while the agent has active calls, or when other agents search one of its knowledge bases or hand calls over to it. After a crash
   * a second deletion does the rest. Throws InvalidFields when the numbers cannot be reassigned.
   * @returns the numbers that have no agent any more
   */
  async delete(agent: AgentOfAccount & Acting, options: AgentDeletionOptions = {}): Promise<PhoneNumberEntity[]> {
    if (options.reassignTo === agent.agentId)
      throw new InvalidFields({
        reassign_to: [withCode('not_allowed', 'The reassign to field must be another agent.')],
      });
    await this.deactivate(agent, options);
    await this.knowledge.deleteOwned(agent);
    try {
      return await this.database.entityTransaction(async (tx) => {
        const left = await this.numbers.ofAgent(agent, tx);
        await this.deleteAgent(agent, tx);
        return left;
      });
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

  /** New calls are refused from here on, or reach the other agent: none starts while the knowledge bases are deleted. */
  private async deactivate(agent: AgentOfAccount & Acting, options: AgentDeletionOptions): Promise<void> {
    await this.database.entityTransaction(async (tx) => {
      await this.lockIdle(agent, tx);
      await this.knowledge.requireOwnedAlone(agent, tx);
      const handing = await this.agents.handingOverTo(agent, tx);
      if (handing.length > 0)
        throw new Conflict(`Other agents hand calls over to the agent: ${handing.join(', ')}. Change them first.`);
      if (options.reassignTo !== undefined) await this.numbers.reassign(agent, options.reassignTo, tx);
      const numbers = options.ifUnused ? await this.numbers.ofAgent(agent, tx) : [];
      if (numbers.length > 0) throw new Conflict(`The agent answers ${numbers.map(({ e164 }) => e164).join(', ')}.`);
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
