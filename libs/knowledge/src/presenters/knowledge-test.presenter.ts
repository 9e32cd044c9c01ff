import { isoTime, timeOrNull } from '@app/common';
import type { TestResultName } from '../retrieval-tests/knowledge-tests.repository.js';
import type { KnowledgeTestEntity } from '../retrieval-tests/knowledge-test.entity.js';

export type KnowledgeTestView = ReturnType<typeof knowledgeTestView>;

/** The retrieval test object of the API. */
export const knowledgeTestView = (test: KnowledgeTestEntity) => ({
  id: test.id,
  agent_id: test.agentId,
  question: test.questions[0] ?? '',
  questions: test.questions,
  expected_text: test.expectedText,
  expected_source: test.expectedSource,
  expected_knowledge_base_id: test.expectedKnowledgeBaseId,
  within: test.within,
  is_active: test.isActive,
  result: resultName(test.passed),
  rank: test.rank,
  reason: test.reason,
  failing_since: timeOrNull(test.failingSince),
  checked_at: timeOrNull(test.checkedAt),
  held_refreshes: Object.entries(test.heldRefreshes).map(([id, reason]) => ({ knowledge_base_id: Number(id), reason })),
  created_at: isoTime(test.createdAt),
  updated_at: isoTime(test.updatedAt),
});

const resultName = (passed: boolean | null): TestResultName =>
  passed === null ? 'pending' : passed ? 'passed' : 'failed';
