import type { AgentOfAccount } from '@app/common';
import { entityPage, type EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { PhoneNumberEntity } from './phone-number.entity.js';

@Injectable()
export class NumbersRepository {
  constructor(@InjectRepository(PhoneNumberEntity) private readonly numbers: Repository<PhoneNumberEntity>) {}

  /** By name. */
  page(
    accountId: number,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<[PhoneNumberEntity[], number]> {
    const numbers = this.numbers.createQueryBuilder('number').where({ accountId }).orderBy('number.name');
    return entityPage(numbers, { limit: perPage, offset: (page - 1) * perPage });
  }

  find(accountId: number, id: number, tx?: EntityTransaction): Promise<PhoneNumberEntity | null> {
    const numbers = tx ? tx.manager.getRepository(PhoneNumberEntity) : this.numbers;
    return numbers.findOneBy({ accountId, id });
  }

  /** By E.164 form, name or id. */
  async named(accountId: number, number: string): Promise<PhoneNumberEntity | undefined> {
    const names = '(number.e164 = :number OR number.name = :number OR number.id::text = :number)';
    const found = await this.numbers
      .createQueryBuilder('number')
      .where({ accountId })
      .andWhere(names, { number })
      .getOne();
    return found ?? undefined;
  }

  async idByName(accountId: number, name: string, tx: EntityTransaction): Promise<number | undefined> {
    return (await tx.manager.findOne(PhoneNumberEntity, { where: { accountId, name }, select: { id: true } }))?.id;
  }

  /** The numbers of an account by name, for a workspace file; 10,000 at most. */
  all(accountId: number, tx: EntityTransaction): Promise<PhoneNumberEntity[]> {
    return tx.manager.find(PhoneNumberEntity, { where: { accountId }, order: { name: 'ASC' }, take: 10_000 });
  }

  /** The numbers that an agent answers, within or outside their hours, locked. */
  ofAgent({ accountId, agentId }: AgentOfAccount, tx: EntityTransaction): Promise<PhoneNumberEntity[]> {
    return tx.manager.find(PhoneNumberEntity, {
      where: [
        { accountId, agentId },
        { accountId, closedAgentId: agentId },
      ],
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  lock(accountId: number, id: number, tx: EntityTransaction): Promise<PhoneNumberEntity | null> {
    const where = { accountId, id };
    return tx.manager.findOne(PhoneNumberEntity, { where, lock: { mode: 'pessimistic_write' } });
  }

  count(accountId: number, tx: EntityTransaction): Promise<number> {
    return tx.manager.countBy(PhoneNumberEntity, { accountId });
  }

  async delete(id: number, tx: EntityTransaction): Promise<void> {
    await tx.manager.delete(PhoneNumberEntity, id);
  }
}
