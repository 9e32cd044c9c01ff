import type { EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThanOrEqual, type QueryDeepPartialEntity, Repository } from 'typeorm';
import { TestScheduleEntity } from './test-run.entity.js';

/** The rows of test schedules. */
@Injectable()
export class TestSchedulesRepository {
  constructor(@InjectRepository(TestScheduleEntity) private readonly schedules: Repository<TestScheduleEntity>) {}

  find(accountId: number, agentId: number): Promise<TestScheduleEntity | null> {
    return this.schedules.findOneBy({ accountId, agentId });
  }

  async save(schedule: Partial<TestScheduleEntity>, tx: EntityTransaction): Promise<void> {
    const row = { ...schedule, updatedAt: new Date() } as QueryDeepPartialEntity<TestScheduleEntity>;
    await tx.manager.upsert(TestScheduleEntity, row, ['agentId']);
  }

  async delete(accountId: number, agentId: number, tx: EntityTransaction): Promise<boolean> {
    const { affected } = await tx.manager.delete(TestScheduleEntity, { accountId, agentId });
    return (affected ?? 0) > 0;
  }

  /** The schedule that is due for the longest time, locked; those that other workers have locked are left out. */
  lockDue(now: Date, tx: EntityTransaction): Promise<TestScheduleEntity | null> {
    return tx.manager.findOne(TestScheduleEntity, {
      where: { nextAt: LessThanOrEqual(now) },
      order: { nextAt: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  async begun(
    agentId: number,
    columns: Pick<TestScheduleEntity, 'nextAt' | 'lastRunId'>,
    tx: EntityTransaction,
  ): Promise<void> {
    await tx.manager.update(TestScheduleEntity, { agentId }, columns);
  }
}
