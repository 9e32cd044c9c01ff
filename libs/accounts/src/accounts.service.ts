import { type Acting, type Actor, type AuditAction, AuditService } from '@app/audit';
import { InvalidFields, microsOf, withCode } from '@app/common';
import { Database, type EntityTransaction } from '@app/database';
import type { Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';
import { AccountEntity } from './account.entity.js';
import { accountView, type AccountView } from './account.presenter.js';
import {
  AccountsRepository,
  type FirstCallRecords,
  type ListedAccount,
  OperatorNoticesRepository,
} from './accounts.repository.js';
import { AccountLimitsService } from './account-limits.service.js';
import { readFields } from './domain/field-faults.js';
import { readWrittenNumber } from './domain/written-number.js';
import { CallsInProgressRepository } from './records/calls-in-progress.repository.js';
import { type ColumnChange, RecordsRepository, type SavedRecord } from './records/records.repository.js';
import { accountFields, type AccountFields } from './schemas/account-schema.js';

const RETENTION_COLUMNS = ['recordings_days', 'transcripts_days', 'deliveries_days', 'documents_days'];

/** Accounts with their limits and retention times, for the API, workspace files and the command line. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly calls: CallsInProgressRepository,
    private readonly limits: AccountLimitsService,
    private readonly records: RecordsRepository,
    private readonly audit: AuditService,
    private readonly database: Database,
  ) {}

  /** The account with its limits and its usage. */
  async find(accountId: number): Promise<AccountView> {
    return accountView(await this.calls.accountWithUsage(accountId));
  }

  /** Changes limits and retention times, for operators. Throws InvalidFields. */
  async update({ accountId, actor }: Acting, body: object): Promise<{ view: AccountView; ignored: string[] }> {
    const { fields, ignored } = readFields(accountFields, body);
    const view = await this.database.entityTransaction(async (tx) => {
      const saved = await this.records.save<AccountEntity>(
        AccountEntity,
        { id: accountId },
        (stored) => accountSettings(fields, stored),
        tx,
      );
      await this.recordChange(actor, '', saved, tx);
      return accountView(await this.calls.accountWithUsage(accountId, tx));
    });
    return { view, ignored };
  }

  /** A phone number as people write it. `country`: of one without a country code; undefined: that of the account. */
  async readNumber(
    accountId: number,
    text: string,
    country?: string,
  ): Promise<{ number: string | null; problem: string | null }> {
    const read = readWrittenNumber(text, country ?? (await this.limits.defaultCountry(accountId)));
    return 'number' in read
      ? { number: read.number, problem: null }
      : { number: null, problem: `The number ${read.problem}.` };
  }

  /** Creates or updates the account of this name, for a workspace file. */
  async apply(actor: Actor, name: string, fields: AccountFields, tx: EntityTransaction): Promise<SavedRecord> {
    const saved = await this.records.save<AccountEntity>(
      AccountEntity,
      { name },
      (stored) => accountSettings(fields, stored),
      tx,
    );
    await this.recordChange(actor, name, saved, tx);
    return saved;
  }

  /** For a workspace file: the account of this name, or all by name, 1,000 at most. */
  entities(name: string | undefined, tx: EntityTransaction): Promise<AccountEntity[]> {
    return this.accounts.entities(name, tx);
  }

  /** undefined: there is no account with this name. */
  idByName(name: string): Promise<number | undefined> {
    return this.accounts.idByName(name);
  }

  /** The names of accounts by id. */
  namesOf(ids: readonly number[]): Promise<Map<number, string>> {
    return this.accounts.namesOf(ids);
  }

  /** The first accounts in alphabetical order. */
  list(limit: number): Promise<ListedAccount[]> {
    return this.accounts.list(limit);
  }

  /** The first names in alphabetical order. */
  async names(limit: number): Promise<string[]> {
    return (await this.list(limit)).map(({ name }) => name);
  }

  /** Whether the installation has an account. */
  any(): Promise<boolean> {
    return this.accounts.any();
  }

  /** What is removed from everything that is stored about conversations of the account. */
  redaction(accountId: number): Promise<Redaction | null> {
    return this.accounts.redaction(accountId);
  }

  firstCallRecords(accountId: number): Promise<FirstCallRecords> {
    return this.accounts.firstCallRecords(accountId);
  }

  /** The columns of an account are limits and retention times; its audit events hold the values before and after. */
  private async recordChange(
    actor: Actor,
    name: string,
    { id, result, changes }: SavedRecord,
    tx: EntityTransaction,
  ): Promise<void> {
    const record = (action: AuditAction, details: Record<string, unknown>): Promise<void> =>
      this.audit.record({ accountId: id, actor, action, subject: { kind: 'account', id }, details }, tx);
    if (result === 'created') return record('account.created', { name });
    const isRetention = ({ column }: ColumnChange): boolean => RETENTION_COLUMNS.includes(column);
    const retention = changes.filter(isRetention);
    const limits = changes.filter((change) => !isRetention(change));
    if (limits.length > 0) await record('limits.changed', fromTo(limits));
    if (retention.length > 0) await record('retention.changed', fromTo(retention));
  }
}

const fromTo = (changes: readonly ColumnChange[]): Record<string, unknown> =>
  Object.fromEntries(changes.map(({ column, from, to }) => [column, { from, to }]));

/** The wanted columns of an account; undefined ones keep their value. Throws InvalidFields. */
function accountSettings(
  {
    default_country: defaultCountry,
    limits,
    retention,
    contact_limits: contact,
    redaction,
    announce_listeners: announced,
  }: AccountFields,
  stored: AccountEntity | null,
): Partial<AccountEntity> {
  requireHours({
    earliest: contact?.earliest === undefined ? stored?.contactEarliest : contact.earliest,
    latest: contact?.latest === undefined ? stored?.contactLatest : contact.latest,
  });
  const spend = limits?.daily_spend_usd;
  const storage = limits?.storage_bytes;
  return {
    defaultCountry,
    concurrentCalls: limits?.concurrent_calls,
    callsPerSecond: limits?.calls_per_second,
    queuedCalls: limits?.queued_calls,
    requestsPerMinute: limits?.requests_per_minute,
    dailySpendMicros: typeof spend === 'number' ? String(microsOf(spend)) : spend,
    storageBytes: typeof storage === 'number' ? String(storage) : storage,
    destinationsAllow: limits?.destinations?.allow,
    destinationsDeny: limits?.destinations?.deny,
    contactAttemptsPerDay: contact?.attempts_per_day,
    contactAttemptsPerWeek: contact?.attempts_per_week,
    contactEarliest: contact?.earliest,
    contactLatest: contact?.latest,
    contactTimeZone: contact?.time_zone,
    recordingsDays: retention?.recordings_days,
    transcriptsDays: retention?.transcripts_days,
    deliveriesDays: retention?.deliveries_days,
    documentsDays: retention?.documents_days,
    redaction,
    announceListeners: announced && { message: announced.message || null, language: announced.language ?? null },
  };
}

/** One of them may be stored already. Throws InvalidFields. */
function requireHours({ earliest, latest }: { earliest?: string | null; latest?: string | null }): void {
  if (earliest && latest && earliest >= latest)
    throw new InvalidFields({
      'contact_limits.latest': [
        withCode('out_of_range', 'The contact_limits.latest field must be later than earliest.'),
      ],
    });
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
