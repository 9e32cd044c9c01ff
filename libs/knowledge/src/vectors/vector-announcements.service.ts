import type { AgentOfAccount } from '@app/common';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { VectorBackfillRepository } from './vector-backfill.repository.js';

/** Each announcement makes every process read the changes of the agent before its next search. */
const SPACING_MS = 5_000;
const AGENTS = 10_000;

/** Makes complete vectors visible to searches: at once, but at most every five seconds per agent while its documents follow each other. */
@Injectable()
export class VectorAnnouncementsService {
  private readonly last = new LRUCache<number, number>({ max: AGENTS });
  private readonly waiting = new Map<number, AgentOfAccount>();

  constructor(private readonly repository: VectorBackfillRepository) {}

  /** The vectors of a knowledge base of the agent are complete. */
  async completed(agent: AgentOfAccount): Promise<void> {
    this.waiting.set(agent.agentId, agent);
    await this.announceDue();
  }

  /** Announces what waits long enough. */
  async announceDue(): Promise<void> {
    const now = performance.now();
    for (const agent of this.waiting.values())
      if (now - (this.last.get(agent.agentId) ?? -SPACING_MS) >= SPACING_MS) await this.announce(agent);
  }

  /** Nothing else is due: announces everything, also for processes that died before they did. */
  async announceAll(): Promise<void> {
    for (const agent of await this.repository.unannounced()) await this.announce(agent);
  }

  private async announce(agent: AgentOfAccount): Promise<void> {
    await this.repository.announce(agent);
    this.waiting.delete(agent.agentId);
    this.last.set(agent.agentId, performance.now());
  }
}
