import { Database, type EntityTransaction } from '@app/database';
import type { Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Raw, Repository } from 'typeorm';
import { AccountEntity } from './account.entity.js';
import { OperatorNoticeEntity } from './operator-notice.entity.js';

/** Records of an account that a first call needs besides an agent; null where it has none. */
export interface FirstCallRecords {
  number_id: number | null;
  trunk_id: number | null;
  /** Reaches an agent when it is called from this machine. */
  answered_number: string | null;
}

export type ListedAccount = Pick<AccountEntity, 'id' | 'name' | 'createdAt'>;

const FIRST_CALL = {
  name: 'first-call-records',
  text: `SELECT
    (SELECT id FROM phone_numbers WHERE account_id = $1 AND active ORDER BY id LIMIT 1) AS number_id,
    (SELECT id FROM sip_trunks WHERE account_id = $1 AND active ORDER BY id LIMIT 1) AS trunk_id,
    (SELECT e164 FROM phone_numbers WHERE account_id = $1 AND active AND agent_id IS NOT NULL AND EXISTS (
        SELECT FROM sip_trunks WHERE account_id = $1 AND active AND inbound_enabled AND '127.0.0.1' = ANY (inbound_addresses))
      ORDER BY id LIMIT 1) AS answered_number`,
};

@Injectable()
export class AccountsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(AccountEntity) private readonly accounts: Repository<AccountEntity>,
  ) {}

  async idByName(name: string): Promise<number | undefined> {
    return (await this.accounts.findOne({ where: { name }, select: { id: true } }))?.id;
  }

  async namesOf(ids: readonly number[]): Promise<Map<number, string>> {
    const found = await this.accounts.find({ where: { id: In([...ids]) }, select: { id: true, name: true } });
    return new Map(found.map(({ id, name }) => [id, name]));
  }

  /** The first accounts in alphabetical order. */
  list(limit: number): Promise<ListedAccount[]> {
    const select = { id: true, name: true, createdAt: true } as const;
    return this.accounts.find({ select, order: { name: 'ASC' }, take: limit });
  }

  any(): Promise<boolean> {
    return this.accounts.exists();
  }

  /** What is removed from everything that is stored about conversations of the account. */
  async redaction(accountId: number): Promise<Redaction | null> {
    const found = await this.accounts.findOne({ where: { id: accountId }, select: { id: true, redaction: true } });
    return found?.redaction ?? null;
  }

  /** Accounts by name, for a workspace file: one, or 1,000 at most. */
  entities(name: string | undefined, tx: EntityTransaction): Promise<AccountEntity[]> {
    return tx.manager.find(AccountEntity, {
      where: name === undefined ? {} : { name },
      order: { name: 'ASC' },
      take: 1_000,
    });
  }

  async firstCallRecords(accountId: number): Promise<FirstCallRecords> {
    const [found] = await this.database.rows<FirstCallRecords & Record<string, unknown>>(FIRST_CALL, [accountId]);
    if (!found) throw new Error('The records of the account were not read.');
    return found;
  }
}

@Injectable()
export class OperatorNoticesRepository {
  constructor(@InjectRepository(OperatorNoticeEntity) private readonly notices: Repository<OperatorNoticeEntity>) {}

  async note(name: string): Promise<void> {
    await this.notices.upsert({ name, noticedAt: () => 'now()' }, ['name']);
  }

  /** Of the last day. */
  async recent(): Promise<string[]> {
    const noticedAt = Raw((column) => `${column} > now() - interval '1 day'`);
    return (await this.notices.findBy({ noticedAt })).map(({ name }) => name);
  }
}
