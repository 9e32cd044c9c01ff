import { CallFactsService } from '@app/calls';
import type { AgentOfAccount } from '@app/common';
import { KnowledgeTestsService, QUERY_LENGTH, QUESTIONS_PER_TEST } from '@app/knowledge';
import { Injectable } from '@nestjs/common';

/** A question of callers that the knowledge of the agent did not answer, or perhaps not: no passage has a word of it. */
export interface UnansweredQuestion {
  /** Wordings of the last search. */
  questions: string[];
  /** Number of searches. */
  searches: number;
  /** The last call with the question. */
  callId: string;
  searchedAt: Date;
  /** The best passage of the last search, found by its meaning alone; null: the search found nothing. */
  nearest: Record<string, unknown> | null;
}

@Injectable()
export class UnansweredQuestionsService {
  constructor(
    private readonly calls: CallFactsService,
    private readonly tests: KnowledgeTestsService,
  ) {}

  /** Those of the last calls that no retrieval test asks, the last one first. Throws NotFound if the agent does not exist. */
  async list(agent: AgentOfAccount): Promise<UnansweredQuestion[]> {
    const tested = new Set((await this.tests.questions(agent)).map(comparable));
    const found = new Map<string, UnansweredQuestion>();
    for (const { call_id: callId, at, queries, nearest } of await this.calls.unanswered(agent)) {
      const questions = queries.map((query) => query.trim().slice(0, QUERY_LENGTH)).slice(0, QUESTIONS_PER_TEST);
      const [first] = questions;
      if (first === undefined || questions.some((question) => tested.has(comparable(question)))) continue;
      const known = found.get(comparable(first));
      if (known) known.searches += 1;
      else found.set(comparable(first), { questions, searches: 1, callId, searchedAt: at, nearest });
    }
    return [...found.values()];
  }
}

/** Models write the same question with other capitals, spaces and punctuation. */
const comparable = (question: string): string =>
  question
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
