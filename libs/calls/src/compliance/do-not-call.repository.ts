import { newId } from '@app/common';
import {
  type Condition,
  ConditionWriter,
  Database,
  type EntityTransaction,
  type ListCursor,
  type Listed,
  type ListedTable,
  type ListPage,
  type ListSlice,
  ListTotals,
  pageOf,
  pgText,
  sliceOf,
  type Sql,
} from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { DoNotCallEntry, EntrySource } from './domain/do-not-call.js';
import { DoNotCallEntity } from './do-not-call.entity.js';

/** An entry, without its account. */
export type ListedEntry = Omit<DoNotCallEntity, 'accountId'>;

/** The filters of a list of entries. */
export interface EntryFilter {
  /** The beginning of the number. */
  number?: string;
  source?: EntrySource;
  from?: Date;
  to?: Date;
  /** false: those that have expired. */
  active?: boolean;
}

/** The columns of ListedEntry. */
const COLUMNS = `id, number, is_prefix AS "isPrefix", reason, source, call_id AS "callId", expires_at AS "expiresAt",
  created_at AS "createdAt"`;

const LIST: ListedTable = { name: 'do_not_call', columns: COLUMNS, time: 'created_at' };

/**
 * A repeated entry keeps its id, and unless it had expired its time and source. `$9`: it gets the new reason and expiry; otherwise it keeps
 * its reason and never ends earlier than before.
 */
const INSERT = `INSERT INTO do_not_call AS d (id, account_id, number, is_prefix, reason, source, call_id, expires_at, created_at)
    SELECT e.id, $1, e.number, e.is_prefix, e.reason, $6, $7, e.expires_at::timestamptz, clock_timestamp()
      FROM unnest($2::uuid[], $3::text[], $4::boolean[], $5::text[], $8::text[]) AS e (id, number, is_prefix, reason, expires_at)
    ON CONFLICT (account_id, number, is_prefix) DO UPDATE SET
      reason = CASE WHEN $9 THEN excluded.reason ELSE coalesce(d.reason, excluded.reason) END,
      source = CASE WHEN d.expires_at <= excluded.created_at THEN excluded.source ELSE d.source END,
      call_id = CASE WHEN d.expires_at <= excluded.created_at THEN excluded.call_id ELSE d.call_id END,
      created_at = CASE WHEN d.expires_at <= excluded.created_at THEN excluded.created_at ELSE d.created_at END,
      expires_at = CASE WHEN $9 THEN excluded.expires_at
        WHEN d.expires_at IS NULL OR excluded.expires_at IS NULL THEN NULL ELSE greatest(d.expires_at, excluded.expires_at) END
    RETURNING`;

const ADD = { name: 'add-do-not-call', text: `${INSERT} ${COLUMNS}, xmax = 0 AS created` };

const IMPORT = {
  name: 'import-do-not-call',
  text: `WITH added AS (${INSERT} xmax = 0 AS created) SELECT count(*) FILTER (WHERE created)::integer AS created FROM added`,
};

const NUMBERS_AMONG = {
  name: 'do-not-call-numbers-among',
  text: `SELECT number, is_prefix AS "isPrefix" FROM do_not_call WHERE account_id = $1 AND number = ANY ($2::text[])`,
};

const COUNT_CHANGE = {
  name: 'count-do-not-call-change',
  text: `INSERT INTO do_not_call_lists AS l (account_id, version, changed_at) VALUES ($1, 1, clock_timestamp())
    ON CONFLICT (account_id) DO UPDATE SET version = l.version + 1, changed_at = clock_timestamp()`,
};

const EXPORT = {
  name: 'export-do-not-call',
  text: `SELECT ${COLUMNS} FROM do_not_call WHERE account_id = $1 AND (number, is_prefix) > ($2, $3)
    ORDER BY number, is_prefix LIMIT $4`,
};

/** Queued calls to numbers that begin like `$2` (null: to all destinations); a SIP URI may hide its number in its user part. */
const QUEUED = `SELECT id, to_number, due_at::text AS due_at FROM calls
    WHERE account_id = $1 AND status = 'pending' AND owner IS NULL AND ($2::text IS NULL OR to_number LIKE $2 OR to_number LIKE 'sip:%')`;

/** In the order of the index: first the calls that may be dialled, then those that wait for their time. */
const QUEUED_NOW = { name: 'queued-to-numbers', text: `${QUEUED} AND due_at IS NULL AND id > $3 ORDER BY id LIMIT $4` };

const QUEUED_LATER = {
  name: 'scheduled-to-numbers',
  text: `${QUEUED} AND due_at IS NOT NULL AND (due_at, id) > ($5::timestamptz, $3) ORDER BY due_at, id LIMIT $4`,
};

interface NewEntries {
  entries: readonly DoNotCallEntry[];
  source: EntrySource;
  callId?: string;
  /** A repeated entry gets the new reason and expiry. */
  replaces: boolean;
}

/** A call that waits in the queue. */
export interface QueuedCall {
  id: string;
  to_number: string;
  /** null: it may be dialled now. */
  due_at: string | null;
}

/** Queued calls of an account, one page after the other. */
interface QueuePlace {
  /** The calls that wait for their time; otherwise those that may be dialled now. */
  scheduled: boolean;
  /** The last call of the page before. */
  after?: QueuedCall;
  /** The beginning of the called numbers; absent: all calls. */
  number?: string;
  limit: number;
}

/**
 * Single entries go through TypeORM. Additions merge with what is there, and lists are read by keyset in the order of an index: by prepared
 * statements.
 */
@Injectable()
export class DoNotCallRepository {
  private readonly totals: ListTotals;

  constructor(
    private readonly database: Database,
    @InjectRepository(DoNotCallEntity) private readonly entries: Repository<DoNotCallEntity>,
  ) {
    this.totals = new ListTotals(database.pool);
  }

  /** Adds an entry, under the lock of the list. */
  async add(accountId: number, entry: NewEntries, tx: Sql): Promise<(ListedEntry & { created: boolean }) | undefined> {
    type Added = ListedEntry & { created: boolean } & Record<string, unknown>;
    const [added] = await this.database.rows<Added>(ADD, valuesOf(accountId, entry), tx);
    return added;
  }

  /** The entries of the list that have one of the numbers, or one as their prefix. */
  numbersAmong(accountId: number, numbers: readonly string[]): Promise<Pick<DoNotCallEntry, 'number' | 'isPrefix'>[]> {
    return this.database.rows<Pick<DoNotCallEntry, 'number' | 'isPrefix'> & Record<string, unknown>>(NUMBERS_AMONG, [
      accountId,
      numbers,
    ]);
  }

  /** Adds entries, of which none has the number of another one, under the lock of the list. Returns how many are new. */
  async import(accountId: number, entries: NewEntries, tx: Sql): Promise<number> {
    const [added] = await this.database.rows<{ created: number }>(IMPORT, valuesOf(accountId, entries), tx);
    return added?.created ?? 0;
  }

  /** The entries have changed. */
  async countChange(accountId: number, tx: Sql): Promise<void> {
    await this.database.rows(COUNT_CHANGE, [accountId], tx);
  }

  find(accountId: number, id: string): Promise<DoNotCallEntity | null> {
    return this.entries.findOneBy({ accountId, id });
  }

  /** The source of the deleted entry; undefined: there is none. */
  async delete(accountId: number, id: string, tx: EntityTransaction): Promise<EntrySource | undefined> {
    const deletion = tx.manager.createQueryBuilder().delete().from(DoNotCallEntity).where({ accountId, id });
    const { raw } = await deletion.returning(['source']).execute();
    const [deleted] = raw as Pick<DoNotCallEntity, 'source'>[];
    return deleted?.source;
  }

  page(
    accountId: number,
    filter: EntryFilter,
    place: { page: number; perPage: number },
  ): Promise<ListPage<ListedEntry>> {
    const parts = { pool: this.database.pool, totals: this.totals };
    return pageOf<ListedEntry>(parts, LIST, conditionOf(accountId, filter), place);
  }

  slice(
    accountId: number,
    filter: EntryFilter,
    place: { cursor?: ListCursor; perPage: number },
  ): Promise<ListSlice<Listed<ListedEntry>>> {
    return sliceOf<ListedEntry>(this.database.pool, LIST, conditionOf(accountId, filter), place);
  }

  /** The next entries after `after`, by number. */
  async after(
    accountId: number,
    after: Pick<ListedEntry, 'number' | 'isPrefix'> | undefined,
    limit: number,
  ): Promise<ListedEntry[]> {
    const values = [accountId, after?.number ?? '', after?.isPrefix ?? false, limit];
    return this.database.rows<ListedEntry & Record<string, unknown>>(EXPORT, values);
  }

  async queued(accountId: number, { scheduled, after, number, limit }: QueuePlace): Promise<QueuedCall[]> {
    const values = [accountId, number === undefined ? null : `${number}%`, after?.id ?? FIRST_ID, limit];
    type Found = QueuedCall & Record<string, unknown>;
    if (!scheduled) return this.database.rows<Found>(QUEUED_NOW, values);
    return this.database.rows<Found>(QUEUED_LATER, [...values, after?.due_at ?? '-infinity']);
  }
}

const valuesOf = (accountId: number, { entries, source, callId, replaces }: NewEntries): unknown[] => [
  accountId,
  entries.map(() => newId()),
  entries.map(({ number }) => number),
  entries.map(({ isPrefix }) => isPrefix),
  entries.map(({ reason }) => reason && pgText(reason)),
  source,
  callId ?? null,
  entries.map(({ expiresAt }) => expiresAt?.toISOString() ?? null),
  replaces,
];

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

function conditionOf(accountId: number, { number, source, from, to, active }: EntryFilter): Condition {
  const condition = new ConditionWriter(accountId);
  // `+` and digits have no meaning in a pattern.
  condition.addGiven('number', (value) => `number LIKE ${value}`, number === undefined ? undefined : `${number}%`);
  condition.addGiven('source', (value) => `source = ${value}`, source);
  condition.addGiven('from', (value) => `created_at >= ${value}`, from);
  condition.addGiven('to', (value) => `created_at <= ${value}`, to);
  if (active === true) condition.addFixed('active', '(expires_at IS NULL OR expires_at > now())');
  if (active === false) condition.addFixed('expired', 'expires_at <= now()');
  if (number !== undefined) condition.plannedByValues = true;
  return condition.done();
}
