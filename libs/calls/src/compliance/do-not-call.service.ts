import { AccountLimitsService } from '@app/accounts';
import { type Acting, AuditService, THE_SERVICE } from '@app/audit';
import { isoTime, NotFound, timeOrNull } from '@app/common';
import { csvLine } from '@app/common/text-files';
import { Database, type ListCursor, type ListPage, type ListSlice, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { contactOpenness, isExhausted, localTimes } from './domain/contact-limits.js';
import {
  type DoNotCallEntry,
  type ListedNumber,
  listedNumber,
  listedNumberIn,
  readNumber,
  readWrittenEntry,
} from './domain/do-not-call.js';
import { DialChecksRepository } from './dial-checks.repository.js';
import { DoNotCallRepository, type EntryFilter, type ListedEntry } from './do-not-call.repository.js';
import { QueuedRefusalService } from './queued-refusal.service.js';

/** The do-not-call list of an account. After a change returns, no dialer begins a call by the list from before. */
@Injectable()
export class DoNotCallService {
  constructor(
    private readonly database: Database,
    private readonly list: DoNotCallRepository,
    private readonly checks: DialChecksRepository,
    private readonly queue: QueuedRefusalService,
    private readonly limits: AccountLimitsService,
    private readonly audit: AuditService,
  ) {}

  /** Adds an entry, or replaces the one of the same number, and ends queued calls to it. */
  async add({ accountId, actor }: Acting, entry: DoNotCallEntry): Promise<AddedEntry> {
    const row = await this.database.transaction(async (tx) => {
      await this.checks.lockList(accountId, tx);
      const added = await this.list.add(accountId, { entries: [entry], source: 'api', replaces: true }, tx);
      if (!added) throw new Error('A do-not-call entry was not stored.');
      await this.list.countChange(accountId, tx);
      await this.record({ accountId, actor }, added.created ? 'added' : 'updated', added, tx);
      return added;
    });
    const { created, ...added } = row;
    return { view: entryView(added), created, endedCalls: await this.queue.endMatching(accountId, entry) };
  }

  /** Adds the other party of a live call, for the tool of its agent. Undefined: the destination is not a number. */
  async addFromCall({ accountId, callId, destination, reason }: RequestOfPerson): Promise<ListedEntry | undefined> {
    const listed = listedNumber(destination);
    if (!listed) return undefined;
    const entry = { number: listed.number, isPrefix: false, reason, expiresAt: null };
    const row = await this.database.transaction(async (tx) => {
      await this.checks.lockList(accountId, tx);
      const added = await this.list.add(accountId, { entries: [entry], source: 'agent', callId, replaces: false }, tx);
      await this.list.countChange(accountId, tx);
      if (added?.created) await this.record({ accountId, actor: THE_SERVICE }, 'added', added, tx);
      return added;
    });
    await this.queue.endMatching(accountId, entry);
    return row;
  }

  /** Throws NotFound. */
  async delete({ accountId, actor }: Acting, id: string): Promise<void> {
    const source = await this.database.entityTransaction(async (tx) => {
      await this.checks.lockList(accountId, tx);
      const deleted = await this.list.delete(accountId, id, tx);
      if (!deleted) return undefined;
      await this.list.countChange(accountId, tx);
      await this.record({ accountId, actor }, 'deleted', { id, source: deleted, callId: null }, tx);
      return deleted;
    });
    if (!source) throw new NotFound('Do-not-call entry');
  }

  /** Throws NotFound. */
  async find(accountId: number, id: string): Promise<EntryView> {
    const row = await this.list.find(accountId, id);
    if (!row) throw new NotFound('Do-not-call entry');
    return entryView(row);
  }

  page(
    accountId: number,
    filter: EntryFilter,
    place: { page: number; perPage: number },
  ): Promise<ListPage<ListedEntry>> {
    return this.list.page(accountId, filter, place);
  }

  slice(
    accountId: number,
    filter: EntryFilter,
    place: { cursor?: ListCursor; perPage: number },
  ): Promise<ListSlice<ListedEntry>> {
    return this.list.slice(accountId, filter, place);
  }

  /** All entries by number as CSV, a page at a time. */
  async *exported(accountId: number): AsyncGenerator<string> {
    yield HEADER;
    for (let page = await this.list.after(accountId, undefined, EXPORT_ROWS); page.length > 0;) {
      yield page.map((row) => exportedLine(entryView(row))).join('');
      page = page.length < EXPORT_ROWS ? [] : await this.list.after(accountId, page.at(-1), EXPORT_ROWS);
    }
  }

  /** The number of a text, in the default country of the account if it has one. Undefined: it is not a number. */
  async numberOf(accountId: number, text: string): Promise<ListedNumber | undefined> {
    return listedNumberIn(text, await this.limits.defaultCountry(accountId));
  }

  /** The number of an entry, or a prefix, as the operator writes it. */
  async entryNumberOf(accountId: number, text: string): Promise<ReturnType<typeof readNumber>> {
    return readWrittenEntry(text, await this.limits.defaultCountry(accountId));
  }

  /** Whether a number may be called now, and if not why and when again. */
  async check(accountId: number, { number, ...listed }: ListedNumber, now = new Date()): Promise<CheckView> {
    const [entryId, attempts, limits] = await Promise.all([
      this.checks.listed(accountId, { number, ...listed }),
      this.checks.attempts(accountId, number),
      this.limits.contacts(accountId),
    ]);
    const entry = entryId === undefined ? undefined : await this.list.find(accountId, entryId);
    const openness = contactOpenness(number, limits, now);
    const reason = entry
      ? 'do_not_call'
      : isExhausted(limits, attempts)
        ? 'contact_limit'
        : openness.open
          ? null
          : 'outside_window';
    return {
      number,
      allowed: reason === null,
      reason,
      opens_at: openness.open ? null : timeOrNull(openness.opensAt ?? null),
      entry: entry ? entryView(entry) : null,
      attempts: { last_24_hours: attempts.last_24_hours, last_7_days: attempts.last_7_days },
      local_times: localTimes(number, limits, now),
    };
  }

  /** Deletes attempts that no longer count towards limits. Returns their number, 10,000 at most. */
  deleteOldAttempts(): Promise<number> {
    return this.checks.deleteOldAttempts();
  }

  private record(
    { accountId, actor }: Acting,
    change: 'added' | 'updated' | 'deleted',
    { id, source, callId }: Pick<ListedEntry, 'id' | 'source' | 'callId'>,
    tx: Sql,
  ): Promise<void> {
    const details = { source, ...(callId !== null && { call_id: callId }) };
    const subject = { kind: 'do_not_call_entry', id };
    return this.audit.record({ accountId, actor, action: `do_not_call.${change}`, subject, details }, tx);
  }
}

const EXPORT_ROWS = 1_000;

const LF = '\n';
const HEADER = csvLine(['number', 'reason', 'expires_at', 'source', 'created_at'], LF);

/** An import reads the line again. */
const exportedLine = ({ number, match, reason, expires_at: until, source, created_at: since }: EntryView): string =>
  csvLine([`${number}${match === 'prefix' ? '*' : ''}`, reason, until, source, since], LF);

/** The other party of a call asked not to be called again. */
interface RequestOfPerson {
  accountId: number;
  callId: string;
  /** The other party. */
  destination: string;
  reason: string | null;
}

interface AddedEntry {
  view: EntryView;
  /** false: an entry of the same number was replaced. */
  created: boolean;
  /** Queued calls that ended. */
  endedCalls: number;
}

/** An entry of the list as the API shows it. */
export const entryView = (row: ListedEntry) => ({
  id: row.id,
  number: row.number,
  match: row.isPrefix ? ('prefix' as const) : ('number' as const),
  reason: row.reason,
  source: row.source,
  call_id: row.callId,
  expires_at: timeOrNull(row.expiresAt),
  created_at: isoTime(row.createdAt),
});

export type EntryView = ReturnType<typeof entryView>;

export interface CheckView {
  /** As a carrier would dial it. */
  number: string;
  allowed: boolean;
  reason: 'do_not_call' | 'contact_limit' | 'outside_window' | null;
  /** When the contact hours begin; null: now, or never. */
  opens_at: string | null;
  entry: EntryView | null;
  attempts: { last_24_hours: number; last_7_days: number };
  local_times: { time_zone: string; local_time: string }[];
}
