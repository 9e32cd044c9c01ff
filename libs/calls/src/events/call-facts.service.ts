import type { AgentOfAccount } from '@app/common';
import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { CallFilter } from '../call-list.repository.js';
import {
  type AnsweredCall,
  CallFactsRepository,
  type EventFacts,
  type FoundTurn,
  type SpokenTurns,
  type UnansweredSearch,
} from './call-facts.repository.js';

/** What analyses and analytics read of ended calls. */
@Injectable()
export class CallFactsService {
  constructor(private readonly facts: CallFactsRepository) {}

  /** By the id of the call. Calls whose transcript was deleted, or that were deleted, are left out. */
  ofEvents(callIds: readonly string[], tx: Sql): Promise<Map<string, EventFacts>> {
    return this.facts.ofEvents(callIds, tx);
  }

  /** The transcripts of calls, which are not deleted before the end of the transaction. */
  async transcripts(callIds: readonly string[], tx: Sql): Promise<SpokenTurns[]> {
    return this.facts.transcripts(await this.facts.keepTranscripts(callIds, tx), tx);
  }

  /** The turns of calls of the account, in the order in which they began. */
  turns(accountId: number, callIds: readonly string[]): Promise<FoundTurn[]> {
    return this.facts.turns(accountId, callIds);
  }

  /** Searches that found no passage with a word of the question in the last 200 calls of the agent, newest first, without those with removed secrets. */
  unanswered(agent: AgentOfAccount): Promise<UnansweredSearch[]> {
    return this.facts.unanswered(agent);
  }

  /** Against another analysis at the same time. Undefined: the account has no such call. */
  lockForAnalysis(accountId: number, callId: string, tx: Sql): ReturnType<CallFactsRepository['lockForAnalysis']> {
    return this.facts.lockForAnalysis(accountId, callId, tx);
  }

  /** The newest calls of a filter that were answered, have ended and have their transcript, until the end of the transaction. */
  answered(accountId: number, filter: CallFilter, limit: number, tx: Sql): Promise<AnsweredCall[]> {
    return this.facts.answered(accountId, filter, limit, tx);
  }

  /** When the earliest call from a time on was created; null: there is none. */
  nextCreated(accountId: number, from: Date): Promise<Date | null> {
    return this.facts.nextCreated(accountId, from);
  }

  /** Adds the rows of analytics of ended calls that have none: those of earlier releases. */
  addMissing(accountId: number, span: { from: Date; to: Date }, tx: Sql): Promise<void> {
    return this.facts.addMissing(accountId, span, tx);
  }
}
