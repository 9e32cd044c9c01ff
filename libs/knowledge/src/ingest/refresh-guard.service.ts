import { AuditService, THE_SERVICE } from '@app/audit';
import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import type { GenerationFacts } from '../knowledge-chunks.repository.js';
import { type BrokenTest, TestRunnerService } from '../retrieval-tests/test-runner.service.js';
import type { DocumentLease } from './document-leases.service.js';

const NAMED_TESTS = 5;
const QUESTION_LENGTH = 80;

/**
 * Serves a new generation, unless it is a refresh of a page that would break retrieval tests: then it is kept and users decide. A
 * file is processed again only on request and from the same bytes, and a text changes only by its author.
 */
@Injectable()
export class RefreshGuardService {
  constructor(
    private readonly tests: TestRunnerService,
    private readonly audit: AuditService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @returns the number of tests that hold the generation back; 0: it is served. Throws like DocumentLease.serve. */
  async serve(lease: DocumentLease, facts: GenerationFacts, signal: AbortSignal): Promise<number> {
    const { id, account_id, serving, source_type } = lease.claim;
    const { generation } = lease.place;
    const isRefresh = source_type === 'url' && serving !== null;
    const candidate = { id, account_id, generation };
    const broken = isRefresh ? await this.tests.brokenBy(candidate, signal) : [];
    signal.throwIfAborted();
    if (broken.length === 0) await lease.serve(facts);
    else await this.hold(lease, facts, broken);
    return broken.length;
  }

  private async hold(lease: DocumentLease, facts: GenerationFacts, broken: readonly BrokenTest[]): Promise<void> {
    const { id, account_id, agent_id } = lease.claim;
    const ids = broken.slice(0, NAMED_TESTS).map((test) => test.id);
    await lease.hold({ facts, reason: heldReason(broken), tests: broken }, (tx) =>
      this.audit.recordOfAgent(
        { accountId: account_id, agentId: agent_id, actor: THE_SERVICE },
        {
          action: 'knowledge_base.refresh_held',
          subject: { kind: 'knowledge_base', id },
          details: { tests: broken.length, test_ids: ids },
        },
        tx,
      ),
    );
    metrics.refreshesHeld.inc();
    this.log.warn(
      { account_id, agent_id, knowledge_base_id: id, tests: broken.length, test_ids: ids },
      'a refresh of a knowledge base is held back, because retrieval tests would fail',
    );
  }
}

/** For users, of limited length. */
export function heldReason(broken: readonly BrokenTest[]): string {
  const named = broken
    .slice(0, NAMED_TESTS)
    .map(({ id, question, reason }) => `test ${id} "${shorten(question)}": ${reason}`)
    .join(' ');
  const more = broken.length > NAMED_TESTS ? ` And ${broken.length - NAMED_TESTS} more.` : '';
  const count = broken.length === 1 ? '1 retrieval test' : `${broken.length} retrieval tests`;
  return `${count} would fail: ${named}${more}`;
}

const shorten = (question: string): string => {
  const characters = Array.from(question.replace(/\s+/g, ' '));
  return characters.length <= QUESTION_LENGTH
    ? characters.join('')
    : `${characters.slice(0, QUESTION_LENGTH).join('')}…`;
};
