import { Database, type EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { StoredSignIn } from './sign-in-schema.js';
import { SignInSettingsEntity } from './sign-in-settings.entity.js';

/** Settings with what the authentication of a request needs of the account. */
export interface SignInRow extends Record<string, unknown> {
  id: number;
  account_id: number;
  account: string;
  requests_per_minute: number | null;
  organisation: string | null;
  issuer: string | null;
  settings: StoredSignIn;
  client_secret_sealed: Buffer | null;
}

/** Accounts that can share an issuer. */
const MOST = 1_000;

const COLUMNS = `SELECT s.id, s.account_id, a.name AS account, a.requests_per_minute, s.organisation, s.issuer, s.settings,
  s.client_secret_sealed FROM sign_in_settings s JOIN accounts a ON a.id = s.account_id`;

// Every request of a person whose settings are not cached.
const BY_ISSUER = { name: 'sign-in-by-issuer', text: `${COLUMNS} WHERE s.issuer = $1 ORDER BY s.id LIMIT ${MOST}` };
const OF_INSTALLATION = {
  name: 'sign-in-of-installation',
  text: `${COLUMNS} WHERE s.issuer IS NULL ORDER BY s.id LIMIT ${MOST}`,
};
const BY_ORGANISATION = { name: 'sign-in-by-organisation', text: `${COLUMNS} WHERE s.organisation = $1` };
const BY_ACCOUNT = { name: 'sign-in-by-account', text: `${COLUMNS} WHERE s.account_id = $1` };
const BY_ACCOUNTS = { name: 'sign-in-by-accounts', text: `${COLUMNS} WHERE s.account_id = ANY ($1::integer[])` };
const ALL = { name: 'sign-in-all', text: `${COLUMNS} ORDER BY s.id LIMIT ${MOST}` };

@Injectable()
export class SignInSettingsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(SignInSettingsEntity) private readonly settings: Repository<SignInSettingsEntity>,
  ) {}

  byIssuer(issuer: string): Promise<SignInRow[]> {
    return this.database.rows<SignInRow>(BY_ISSUER, [issuer]);
  }

  /** Of accounts that use the issuer of the installation. */
  ofInstallation(): Promise<SignInRow[]> {
    return this.database.rows<SignInRow>(OF_INSTALLATION, []);
  }

  async byOrganisation(organisation: string): Promise<SignInRow | undefined> {
    return (await this.database.rows<SignInRow>(BY_ORGANISATION, [organisation]))[0];
  }

  async byAccount(accountId: number): Promise<SignInRow | undefined> {
    return (await this.database.rows<SignInRow>(BY_ACCOUNT, [accountId]))[0];
  }

  byAccounts(accountIds: readonly number[]): Promise<SignInRow[]> {
    return this.database.rows<SignInRow>(BY_ACCOUNTS, [accountIds]);
  }

  all(): Promise<SignInRow[]> {
    return this.database.rows<SignInRow>(ALL, []);
  }

  find(accountId: number, tx?: EntityTransaction): Promise<SignInSettingsEntity | null> {
    return (tx?.manager.getRepository(SignInSettingsEntity) ?? this.settings).findOneBy({ accountId });
  }

  /** Locks the stored settings until the end of the transaction. */
  locked(accountId: number, tx: EntityTransaction): Promise<SignInSettingsEntity | null> {
    const lock = { mode: 'pessimistic_write' } as const;
    return tx.manager.getRepository(SignInSettingsEntity).findOne({ where: { accountId }, lock });
  }

  /** Whether another account has the organisation. */
  async isTaken(organisation: string, accountId: number, tx: EntityTransaction): Promise<boolean> {
    const found = await tx.manager.getRepository(SignInSettingsEntity).findOneBy({ organisation });
    return found !== null && found.accountId !== accountId;
  }

  async save(row: Omit<SignInSettingsEntity, 'id' | 'updatedAt'>, tx: EntityTransaction): Promise<void> {
    await tx.manager.getRepository(SignInSettingsEntity).upsert({ ...row, updatedAt: () => 'now()' }, ['accountId']);
  }

  async delete(accountId: number, tx: EntityTransaction): Promise<boolean> {
    return (await tx.manager.getRepository(SignInSettingsEntity).delete({ accountId })).affected === 1;
  }
}
