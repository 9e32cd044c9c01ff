import { AuditService, THE_SERVICE } from '@app/audit';
import type { AgentOfAccount, Log } from '@app/common';
import { Database, type Sql } from '@app/database';
import { metrics } from '@app/metrics';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import type { FoundChunk } from '../search/knowledge-search.repository.js';
import type { Matched } from '../search/ranking.js';
import { type FoundInSnapshot, SnapshotSearchService } from '../search/snapshot-search.service.js';
import { combineOutcome, outcomeOf, type TestOutcome } from './expectation.js';
import { type RunnableTest, type TestResult, TestRunsRepository } from './test-runs.repository.js';

/** One search of a test. */
interface TestSearch {
  question: string;
  rank: number | null;
  /** The found passages, best first. */
  passages: { chunkId: string; matched: Matched }[];
}

/** The result of a test with its searches. */
export interface TestReport extends TestOutcome {
  id: number;
  searches: TestSearch[];
  /** Whether the test would pass without the embedder; undefined if the searches had no vectors. */
  passedByWords?: boolean;
}

/** A run of all active tests of an agent. */
export interface TestRunReport {
  /** `agents.knowledge_version` of the searches. */
  version: string;
  tests: TestReport[];
}

/** A test that would fail if a refresh were served. */
export interface BrokenTest {
  id: number;
  agentId: number;
  question: string;
  reason: string;
}

/** A complete generation that is about to be served. */
interface RefreshCandidate {
  id: number;
  account_id: number;
  generation: number;
}

/** As many passages as the agent receives at most in a call; the rank of an answer is known up to here. */
const SEARCHED = 5;
/** In log and audit. */
const NAMED_TESTS = 20;

/** Runs the retrieval tests of an agent: against its current knowledge, or against a refresh before it is served. */
@Injectable()
export class TestRunnerService {
  constructor(
    private readonly database: Database,
    private readonly runs: TestRunsRepository,
    private readonly searches: SnapshotSearchService,
    @Inject(AuditService) private readonly audit: Pick<AuditService, 'recordOfAgent'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Runs all active tests of the agent and stores their results; a test that passed before and fails now is reported. Throws the
   * signal's reason, and EmbeddingsUnavailable or EmbeddingsRefused; results are stored completely or not at all.
   */
  async run(agent: AgentOfAccount, signal: AbortSignal): Promise<TestRunReport> {
    const tests = await this.runs.active(agent);
    const report = await this.searches.run(agent, questionsOf(tests), optionsOf(tests, signal), (search, version) =>
      this.check(tests, search, version),
    );
    if (tests.length === 0) return report;
    const results = report.tests.map((result, at): TestResult => ({ ...result, test: tests[at]! }));
    const broken = await this.database.transaction(async (tx) => {
      const ids = await this.runs.store(agent, report.version, results, tx);
      if (ids.length > 0) await this.recordBroken(agent, ids, tx);
      return ids;
    });
    if (broken.length > 0) this.reportBroken(agent, report.version, broken);
    this.reportHarm(agent, report.tests);
    return report;
  }

  /**
   * The tests that pass now and would fail if the candidate were served, of all agents that use the knowledge base. Throws the
   * signal's reason.
   */
  async brokenBy(candidate: RefreshCandidate, signal: AbortSignal): Promise<BrokenTest[]> {
    const broken: BrokenTest[] = [];
    for (const agent of await this.runs.testedAgentsOf(candidate)) {
      const tests = await this.runs.active(agent);
      broken.push(...(await this.compare(agent, tests, candidate, signal)));
    }
    return broken;
  }

  private async check(
    tests: readonly RunnableTest[],
    search: (query: string) => Promise<FoundInSnapshot>,
    version: string,
  ): Promise<TestRunReport> {
    const reports: TestReport[] = [];
    for (const test of tests) {
      const searches: TestSearch[] = [];
      const [outcomes, byWords]: [TestOutcome[], TestOutcome[]] = [[], []];
      for (const question of test.questions) {
        const found = await search(question);
        const outcome = outcomeIn(test, found.passages);
        outcomes.push(outcome);
        if (found.byWords) byWords.push(outcomeIn(test, found.byWords));
        const passages = found.passages.map(({ chunkId, matched }) => ({ chunkId, matched }));
        searches.push({ question, rank: outcome.rank, passages });
      }
      const words = byWords.length === outcomes.length && { passedByWords: combineOutcome(byWords).passed };
      reports.push({ id: test.id, ...combineOutcome(outcomes), searches, ...words });
    }
    return { version, tests: reports };
  }

  private compare(
    agent: AgentOfAccount,
    tests: readonly RunnableTest[],
    { id, generation }: RefreshCandidate,
    signal: AbortSignal,
  ): Promise<BrokenTest[]> {
    const candidate = { knowledgeBaseId: id, generation };
    return this.searches.compare(agent, candidate, questionsOf(tests), optionsOf(tests, signal), async (search) => {
      const broken: BrokenTest[] = [];
      for (const test of tests) {
        const [now, then]: [TestOutcome[], TestOutcome[]] = [[], []];
        for (const question of test.questions) {
          const found = await search(question);
          now.push(outcomeIn(test, found.current));
          then.push(outcomeIn(test, found.candidate));
        }
        const { passed, reason } = combineOutcome(then);
        if (!combineOutcome(now).passed || passed) continue;
        broken.push({ id: test.id, agentId: agent.agentId, question: test.questions[0] ?? '', reason: reason ?? '' });
      }
      return broken;
    });
  }

  /** In the audit log of the account, because users do not see the log of the service. */
  private recordBroken(agent: AgentOfAccount, ids: readonly number[], tx: Sql): Promise<void> {
    const subject = { kind: 'agent', id: agent.agentId };
    const details = { tests: ids.length, test_ids: ids.slice(0, NAMED_TESTS) };
    const event = { action: 'knowledge_tests.failed', subject, details } as const;
    return this.audit.recordOfAgent({ ...agent, actor: THE_SERVICE }, event, tx);
  }

  /** An embedder that does not know the language of the documents may find less than words alone. */
  private reportHarm({ accountId, agentId }: AgentOfAccount, tests: readonly TestReport[]): void {
    const compared = tests.filter(({ passedByWords }) => passedByWords !== undefined);
    const passed = compared.filter((test) => test.passed).length;
    const byWords = compared.filter(({ passedByWords }) => passedByWords).length;
    if (byWords <= passed) return;
    metrics.retrievalTestsLostToEmbedder.inc(byWords - passed);
    this.log.warn(
      { account_id: accountId, agent_id: agentId, tests: compared.length, passed, passed_by_words: byWords },
      'the embedder loses answers that words alone find; use another model, or none',
    );
  }

  private reportBroken({ accountId, agentId }: AgentOfAccount, version: string, ids: readonly number[]): void {
    metrics.retrievalTestsBroken.inc(ids.length);
    const named = ids.slice(0, NAMED_TESTS);
    this.log.warn(
      { account_id: accountId, agent_id: agentId, knowledge_version: version, tests: ids.length, test_ids: named },
      'retrieval tests fail after a change of the knowledge',
    );
  }
}

const questionsOf = (tests: readonly RunnableTest[]): string[] => tests.flatMap(({ questions }) => questions);

/** Another test may have asked for more passages. */
const outcomeIn = (test: RunnableTest, found: readonly FoundChunk[]): TestOutcome =>
  outcomeOf(test, test.within, found.slice(0, Math.max(SEARCHED, test.within)));

const optionsOf = (tests: readonly RunnableTest[], signal: AbortSignal) => ({
  limit: Math.max(SEARCHED, ...tests.map(({ within }) => within)),
  signal,
});
