import { Database, entityPage, type EntityTransaction, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { PhoneNumberEntity } from './phone-number.entity.js';

// Both parts use partial indexes: the queue and the live calls of the account.
const IN_USE = {
  name: 'number-in-use',
  text: `SELECT EXISTS (SELECT FROM calls WHERE account_id = $1 AND status = 'pending' AND owner IS NULL AND number_id = $2)
      OR EXISTS (SELECT FROM calls WHERE account_id = $1 AND owner IS NOT NULL AND ended_at IS NULL AND number_id = $2) AS used`,
};

const LOCK_ROOM = { name: 'lock-numbers', text: 'SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE' };

@Injectable()
export class NumbersRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(PhoneNumberEntity) private readonly numbers: Repository<PhoneNumberEntity>,
  ) {}

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

  /** The numbers of an account by name, for a workspace file; 10,000 at most. */
  all(accountId: number, tx: EntityTransaction): Promise<PhoneNumberEntity[]> {
    return tx.manager.find(PhoneNumberEntity, { where: { accountId }, order: { name: 'ASC' }, take: 10_000 });
  }

  lock(accountId: number, id: number, tx: EntityTransaction): Promise<PhoneNumberEntity | null> {
    const where = { accountId, id };
    return tx.manager.findOne(PhoneNumberEntity, { where, lock: { mode: 'pessimistic_write' } });
  }

  /** Serialises creations, so that the second of two concurrent ones counts the first. */
  async countLocked(accountId: number, tx: EntityTransaction): Promise<number> {
    await this.database.rows(LOCK_ROOM, [accountId], tx);
    return tx.manager.countBy(PhoneNumberEntity, { accountId });
  }

  /** Whether calls from or to the number are queued or live. */
  async isInUse(accountId: number, id: number, tx: Sql): Promise<boolean> {
    const [found] = await this.database.rows<{ used: boolean }>(IN_USE, [accountId, id], tx);
    return found?.used ?? false;
  }

  async delete(id: number, tx: EntityTransaction): Promise<void> {
    await tx.manager.delete(PhoneNumberEntity, id);
  }
}
