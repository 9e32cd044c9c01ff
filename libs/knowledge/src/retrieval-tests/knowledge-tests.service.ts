import { type Acting, type AuditAction, AuditService } from '@app/audit';
import {
  type AgentOfAccount,
  Conflict,
  type FieldErrors,
  InvalidFields,
  noRecord,
  NotFound,
  withCode,
} from '@app/common';
import {
  Database,
  type EntityTransaction,
  type IdempotencyKey,
  IdempotencyRepository,
  RecordExistenceRepository,
} from '@app/database';
import { Injectable } from '@nestjs/common';
import { KnowledgeBasesRepository } from '../knowledge-bases.repository.js';
import { TESTS_PER_AGENT } from '../limits.js';
import { knowledgeTestView, type KnowledgeTestView } from '../presenters/knowledge-test.presenter.js';
import { comparable } from './expectation.js';
import type { KnowledgeTestEntity } from './knowledge-test.entity.js';
import {
  type KnowledgeTestSettings,
  KnowledgeTestsRepository,
  type TestResultName,
} from './knowledge-tests.repository.js';
import { TestRunsRepository } from './test-runs.repository.js';
import { TestRunnerService, type TestRunReport } from './test-runner.service.js';

type ActingOnAgent = AgentOfAccount & Acting;

/** The result of an earlier revision says nothing about this one. */
const NO_RESULT = {
  passed: null,
  rank: null,
  reason: null,
  failingSince: null,
  checkedAt: null,
  knowledgeVersion: null,
  heldRefreshes: {},
};

/** The retrieval tests of an account's agents. Workers run them after each change, see DueTestsService. */
@Injectable()
export class KnowledgeTestsService {
  constructor(
    private readonly database: Database,
    private readonly tests: KnowledgeTestsRepository,
    private readonly runs: TestRunsRepository,
    private readonly runner: TestRunnerService,
    private readonly knowledgeBases: KnowledgeBasesRepository,
    private readonly existence: RecordExistenceRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly audit: AuditService,
  ) {}

  /**
   * Throws NotFound, Conflict (the agent has TESTS_PER_AGENT tests, or the key was used with another body) and InvalidFields.
   * `replayed`: the request was a repetition, and this is the response to the first one.
   */
  async create(
    agent: ActingOnAgent,
    settings: KnowledgeTestSettings,
    key?: IdempotencyKey,
  ): Promise<{ view: KnowledgeTestView; replayed: boolean }> {
    requireExpectation(settings);
    const insert = (tx: EntityTransaction) => this.insert(agent, settings, tx);
    const { answer, replayed } = await this.idempotency.createOnce(agent.accountId, key, insert);
    return { view: answer, replayed };
  }

  /** Throws NotFound if the agent or the test does not exist in the account. */
  async find(agent: AgentOfAccount, id: number): Promise<KnowledgeTestEntity> {
    return found(await this.tests.find(agent, id));
  }

  /** Throws NotFound if the agent does not exist in the account. */
  async list(
    agent: AgentOfAccount,
    result: TestResultName | undefined,
    page: { page: number; perPage: number },
  ): Promise<{ tests: KnowledgeTestEntity[]; total: number }> {
    const listed = await this.tests.list(agent, result, page);
    if (listed.total === 0) await this.requireAgent(agent);
    return listed;
  }

  /** Every wording of every test of the agent. Throws NotFound if the agent does not exist in the account. */
  async questions(agent: AgentOfAccount): Promise<string[]> {
    const questions = await this.tests.questions(agent);
    if (questions.length === 0) await this.requireAgent(agent);
    return questions;
  }

  /** Absent fields keep their value. Another question or expectation has no result yet. Throws NotFound and InvalidFields. */
  async update(
    agent: ActingOnAgent,
    id: number,
    changes: Partial<KnowledgeTestSettings>,
  ): Promise<KnowledgeTestEntity> {
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    if (given.length === 0) return this.find(agent, id);
    return this.database.entityTransaction(async (tx) => {
      const test = found(await this.tests.lock(agent, id, tx));
      const isOther = given.some(([name]) => name !== 'isActive');
      Object.assign(test, Object.fromEntries(given), isOther && { ...NO_RESULT, revision: test.revision + 1 });
      requireExpectation(test);
      if (changes.expectedKnowledgeBaseId) await this.requireKnowledgeBase(agent, changes.expectedKnowledgeBaseId, tx);
      const updated = await this.tests.update(test, tx);
      if (test.isActive) await this.runs.markDue(agent, tx);
      await this.record(agent, 'knowledge_test.updated', { id, changed: given.map(([name]) => name) }, tx);
      return updated;
    });
  }

  /** Throws NotFound. */
  async delete(agent: ActingOnAgent, id: number): Promise<void> {
    await this.database.entityTransaction(async (tx) => {
      if (!(await this.tests.delete(agent, id, tx))) throw new NotFound('Knowledge test');
      await this.record(agent, 'knowledge_test.deleted', { id }, tx);
    });
  }

  /** Runs all active tests now. Throws NotFound, the signal's reason, and EmbeddingsUnavailable or EmbeddingsRefused. */
  async run(agent: AgentOfAccount, signal: AbortSignal): Promise<TestRunReport> {
    await this.requireAgent(agent);
    return this.runner.run(agent, signal);
  }

  private async insert(
    agent: ActingOnAgent,
    settings: KnowledgeTestSettings,
    tx: EntityTransaction,
  ): Promise<KnowledgeTestView> {
    // The lock of the agent makes concurrent creations count each other.
    if (!(await this.existence.lock(agent.accountId, 'agents', agent.agentId, tx))) throw new NotFound('Agent');
    if ((await this.tests.count(agent, tx)) >= TESTS_PER_AGENT) {
      throw new Conflict(`The agent has ${TESTS_PER_AGENT} tests, which is the maximum. Delete one first.`);
    }
    const { expectedKnowledgeBaseId } = settings;
    if (expectedKnowledgeBaseId !== null) await this.requireKnowledgeBase(agent, expectedKnowledgeBaseId, tx);
    const test = await this.tests.insert(agent, settings, tx);
    await this.runs.markDue(agent, tx);
    await this.record(agent, 'knowledge_test.created', { id: test.id }, tx);
    return knowledgeTestView(test);
  }

  private async requireAgent(agent: AgentOfAccount): Promise<void> {
    if (!(await this.existence.exists(agent.accountId, { table: 'agents', id: agent.agentId })))
      throw new NotFound('Agent');
  }

  private async requireKnowledgeBase(agent: AgentOfAccount, id: number, tx: EntityTransaction): Promise<void> {
    if (await this.knowledgeBases.find(agent, id, tx)) return;
    throw new InvalidFields({ expected_knowledge_base_id: [noRecord('knowledge base', id, 'agent')] });
  }

  private record(
    agent: ActingOnAgent,
    action: AuditAction,
    { id, ...details }: { id: number } & Record<string, unknown>,
    tx: EntityTransaction,
  ): Promise<void> {
    return this.audit.recordOfAgent(agent, { action, subject: { kind: 'knowledge_test', id }, details }, tx);
  }
}

function found(test: KnowledgeTestEntity | null): KnowledgeTestEntity {
  if (!test) throw new NotFound('Knowledge test');
  return test;
}

function requireExpectation({ expectedText, expectedSource, expectedKnowledgeBaseId }: KnowledgeTestSettings): void {
  const problems: FieldErrors = {};
  if (expectedText === null && expectedSource === null && expectedKnowledgeBaseId === null) {
    problems.expected_text = [
      withCode('missing', 'One of expected text, expected source and expected knowledge base id is required.'),
    ];
  } else if (expectedText !== null && comparable(expectedText) === '') {
    problems.expected_text = [withCode('invalid_format', 'The expected text field must contain letters or digits.')];
  }
  if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
}
