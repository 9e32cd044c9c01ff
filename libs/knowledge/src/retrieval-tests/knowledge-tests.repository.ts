import type { AgentOfAccount } from '@app/common';
import type { EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, IsNull, Repository } from 'typeorm';
import { KnowledgeTestEntity } from './knowledge-test.entity.js';

export const TEST_RESULTS = ['passed', 'failed', 'pending'] as const;
/** `pending`: the test has not run since it was created or changed. */
export type TestResultName = (typeof TEST_RESULTS)[number];

/** The settings of a test. */
export type KnowledgeTestSettings = Pick<
  KnowledgeTestEntity,
  'questions' | 'expectedText' | 'expectedSource' | 'expectedKnowledgeBaseId' | 'within' | 'isActive'
>;

/** The administrative statements on `knowledge_tests`; those of runs are in TestRunsRepository. */
@Injectable()
export class KnowledgeTestsRepository {
  constructor(@InjectRepository(KnowledgeTestEntity) private readonly tests: Repository<KnowledgeTestEntity>) {}

  find(agent: AgentOfAccount, id: number): Promise<KnowledgeTestEntity | null> {
    return this.tests.findOneBy({ ...ofAgent(agent), id });
  }

  /** Locks the test until the end of the transaction. */
  lock(agent: AgentOfAccount, id: number, tx: EntityTransaction): Promise<KnowledgeTestEntity | null> {
    const lock = { mode: 'for_no_key_update' } as const;
    return this.entities(tx).findOne({ where: { ...ofAgent(agent), id }, lock });
  }

  count(agent: AgentOfAccount, tx: EntityTransaction): Promise<number> {
    return this.entities(tx).countBy(ofAgent(agent));
  }

  /** Every wording of every test of the agent. */
  async questions(agent: AgentOfAccount): Promise<string[]> {
    const tests = await this.tests.find({ where: ofAgent(agent), select: { id: true, questions: true } });
    return tests.flatMap(({ questions }) => questions);
  }

  /** One page, newest first, with the exact total. */
  async list(
    agent: AgentOfAccount,
    result: TestResultName | undefined,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ tests: KnowledgeTestEntity[]; total: number }> {
    const where = { ...ofAgent(agent), ...(result && WITH_RESULT[result]) };
    const place = { take: perPage, skip: (page - 1) * perPage };
    const [tests, total] = await this.tests.findAndCount({ where, order: { id: 'DESC' }, ...place });
    return { tests, total };
  }

  /** @returns the test with the defaults of the database. */
  async insert(
    agent: AgentOfAccount,
    settings: KnowledgeTestSettings,
    tx: EntityTransaction,
  ): Promise<KnowledgeTestEntity> {
    const inserted = await this.entities(tx).insert({ ...ofAgent(agent), ...settings });
    return this.entities(tx).findOneByOrFail({ id: (inserted.identifiers[0] as { id: number }).id });
  }

  /** Stores a test that the transaction has locked. */
  update(test: KnowledgeTestEntity, tx: EntityTransaction): Promise<KnowledgeTestEntity> {
    return this.entities(tx).save(test);
  }

  /** Returns false if it does not exist. */
  async delete(agent: AgentOfAccount, id: number, tx: EntityTransaction): Promise<boolean> {
    return (await this.entities(tx).delete({ ...ofAgent(agent), id })).affected === 1;
  }

  private entities(tx: EntityTransaction): Repository<KnowledgeTestEntity> {
    return tx.manager.getRepository(KnowledgeTestEntity);
  }
}

const WITH_RESULT: Record<TestResultName, FindOptionsWhere<KnowledgeTestEntity>> = {
  passed: { passed: true },
  failed: { passed: false },
  pending: { passed: IsNull() },
};

const ofAgent = ({ accountId, agentId }: AgentOfAccount): AgentOfAccount => ({ accountId, agentId });
