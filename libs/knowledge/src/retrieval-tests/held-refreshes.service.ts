import { type Acting, type AuditAction, AuditService } from '@app/audit';
import { type AgentOfAccount, Conflict, NotFound } from '@app/common';
import { Database, type EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { KnowledgeBasesRepository } from '../knowledge-bases.repository.js';
import { AgentFull, type Generation, KnowledgeChunksRepository } from '../knowledge-chunks.repository.js';
import { KnowledgeSharingService, type SharedKnowledgeBase } from '../knowledge-sharing.service.js';
import { MissingVectorsService } from '../vectors/missing-vectors.service.js';
import { HeldRefreshesRepository } from './held-refreshes.repository.js';

/** The decisions about refreshes that are held back because retrieval tests would fail. */
@Injectable()
export class HeldRefreshesService {
  constructor(
    private readonly database: Database,
    private readonly knowledgeBases: KnowledgeBasesRepository,
    private readonly chunks: KnowledgeChunksRepository,
    private readonly held: HeldRefreshesRepository,
    private readonly sharing: KnowledgeSharingService,
    private readonly missingVectors: MissingVectorsService,
    private readonly audit: AuditService,
  ) {}

  /** Serves the held generation. Throws NotFound, and Conflict if there is none or a worker is processing the document. */
  async release(agent: AgentOfAccount & Acting, id: number): Promise<SharedKnowledgeBase> {
    const released = await this.database.entityTransaction(async (tx) => {
      const generation = await this.held.release(agent, id, tx);
      if (generation === undefined) throw await this.whyNot(agent, id, tx);
      await this.record(agent, 'knowledge_base.refresh_released', id, tx);
      await this.announce({ accountId: agent.accountId, knowledgeBaseId: id, generation }, tx);
      return this.find(agent, id, tx);
    });
    this.missingVectors.announce();
    return released;
  }

  /** Deletes the held generation; the serving one stays. Throws NotFound, and Conflict if there is none. */
  discard(agent: AgentOfAccount & Acting, id: number): Promise<SharedKnowledgeBase> {
    return this.database.entityTransaction(async (tx) => {
      if (!(await this.held.discard(agent, id, tx))) throw await this.whyNot(agent, id, tx);
      await this.record(agent, 'knowledge_base.refresh_discarded', id, tx);
      return this.find(agent, id, tx);
    });
  }

  private async announce(place: Omit<Generation, 'agentId'>, tx: EntityTransaction): Promise<void> {
    try {
      await this.chunks.announce(place, tx);
    } catch (error) {
      throw error instanceof AgentFull ? new Conflict(error.message) : error;
    }
  }

  private async whyNot(agent: AgentOfAccount, id: number, tx: EntityTransaction): Promise<Error> {
    const { status, heldGeneration } = await this.find(agent, id, tx);
    return status === 'processing' && heldGeneration !== null
      ? new Conflict('The knowledge base is being processed. Wait until it is completed or failed.')
      : new Conflict('The knowledge base has no refresh that is held back.');
  }

  private async find(agent: AgentOfAccount, id: number, tx: EntityTransaction): Promise<SharedKnowledgeBase> {
    const found = await this.knowledgeBases.find(agent, id, tx);
    if (!found) throw new NotFound('Knowledge base');
    const [shared] = await this.sharing.withAgents(agent.accountId, [found], tx);
    return shared!;
  }

  private record(
    agent: AgentOfAccount & Acting,
    action: AuditAction,
    id: number,
    tx: EntityTransaction,
  ): Promise<void> {
    return this.audit.recordOfAgent(agent, { action, subject: { kind: 'knowledge_base', id } }, tx);
  }
}
