import { AccountLimitsService } from '@app/accounts';
import { type Acting, THE_SERVICE } from '@app/audit';
import { type AgentOfAccount, Conflict, NotFound } from '@app/common';
import type { EntityTransaction } from '@app/database';
import type { SkipList } from '@app/storage';
import { Injectable } from '@nestjs/common';
import { DocumentFilesService } from './document-files.service.js';
import { KnowledgeBasesRepository, type OwnedDocument } from './knowledge-bases.repository.js';
import { KnowledgeBasesService } from './knowledge-bases.service.js';

/** Deletes the knowledge bases of a deleted agent, and those whose retention time is over. */
@Injectable()
export class KnowledgeDeletionService {
  constructor(
    private readonly rows: KnowledgeBasesRepository,
    private readonly knowledgeBases: KnowledgeBasesService,
    private readonly files: DocumentFilesService,
    private readonly accounts: AccountLimitsService,
  ) {}

  /** Deletes all knowledge bases that the agent owns or, if other agents search one of them, none. Throws Conflict. */
  async deleteOwned(agent: AgentOfAccount & Acting): Promise<void> {
    for (const { id } of await this.ownedAlone(agent)) await this.deleteOnce(agent, id);
  }

  /** Throws Conflict when other agents search a knowledge base of the agent. */
  async requireOwnedAlone(agent: AgentOfAccount, tx: EntityTransaction): Promise<void> {
    await this.ownedAlone(agent, tx);
  }

  /** `deleteOwned` in a transaction. @returns what deletes the files, for after the transaction. */
  async deleteOwnedWithin(agent: AgentOfAccount & Acting, tx: EntityTransaction): Promise<() => Promise<void>> {
    const owned = await this.ownedAlone(agent, tx);
    for (const one of owned) await this.knowledgeBases.deleteWithin(agent, one, tx);
    return async () => {
      for (const { fileKey: key } of owned) if (key !== null) await this.files.delete(key);
    };
  }

  /**
   * Deletes knowledge bases, with file and passages, that have not changed within the retention time of their account; files that
   * cannot be deleted are skipped. @returns the number of deleted knowledge bases.
   */
  async deleteExpired(skipped: SkipList<number>): Promise<number> {
    let deleted = 0;
    const expired = await this.rows.expired(await this.accounts.retentionPeriods('documents'), skipped.ids);
    for (const { id, account_id: accountId, agent_id: agentId, file_key: key } of expired) {
      if (key !== null && !(await skipped.attempt(id, () => this.files.delete(key)))) continue;
      if (await this.deleteOnce({ accountId, agentId, actor: THE_SERVICE }, id)) deleted++;
    }
    return deleted;
  }

  /** @returns whether it existed: another process may have deleted it */
  private async deleteOnce(agent: AgentOfAccount & Acting, id: number): Promise<boolean> {
    try {
      await this.knowledgeBases.delete(agent, id);
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  private async ownedAlone(agent: AgentOfAccount, tx?: EntityTransaction): Promise<OwnedDocument[]> {
    const owned = await this.rows.owned(agent, tx);
    const shared = owned.filter((one) => one.isShared).map(({ id }) => id);
    if (shared.length === 0) return owned;
    throw new Conflict(
      `Other agents search knowledge bases of the agent (${shared.join(', ')}). Delete these, or remove their other agents, first.`,
    );
  }
}
