import { Injectable } from '@nestjs/common';
import { AccountsRepository, type FirstCallRecords, OperatorNoticesRepository } from './accounts.repository.js';

/** Accounts, for operators. They are created and changed by workspace files, see WorkspaceService. */
@Injectable()
export class AccountsService {
  constructor(private readonly accounts: AccountsRepository) {}

  /** undefined: there is no account with this name. */
  idByName(name: string): Promise<number | undefined> {
    return this.accounts.idByName(name);
  }

  /** The first names in alphabetical order. */
  names(limit: number): Promise<string[]> {
    return this.accounts.names(limit);
  }

  /** Whether the installation has an account. */
  any(): Promise<boolean> {
    return this.accounts.any();
  }

  firstCallRecords(accountId: number): Promise<FirstCallRecords> {
    return this.accounts.firstCallRecords(accountId);
  }
}

/** An observation of a process about the installation, for `trunkline doctor`. */
type OperatorNotice = 'untrusted_forwarded_for';

@Injectable()
export class OperatorNoticesService {
  constructor(private readonly notices: OperatorNoticesRepository) {}

  note(notice: OperatorNotice): Promise<void> {
    return this.notices.note(notice);
  }

  /** Of the last day. */
  async recent(): Promise<Set<OperatorNotice>> {
    return new Set((await this.notices.recent()) as OperatorNotice[]);
  }
}
