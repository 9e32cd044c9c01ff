import { Database, type Query, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { ContactAttempts } from './domain/contact-limits.js';
import type { ListedNumber } from './domain/do-not-call.js';

/** First key of the advisory locks; the second one is the account. */
const LOCK_CLASS = 7216037;

/** Held while entries of the account change. Waits until the calls that are being dialled are committed, and the next ones wait for it. */
const LOCK_LIST = { name: 'lock-do-not-call', text: `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, $1)` };

export const SHARE_LIST = `SELECT pg_advisory_xact_lock_shared(${LOCK_CLASS}, $1)`;

/** Parameters: account, number, its beginnings. */
export const LISTED = `SELECT d.id FROM do_not_call d WHERE d.account_id = $1 AND d.number = ANY ($3::text[])
      AND (d.is_prefix OR d.number = $2) AND (d.expires_at IS NULL OR d.expires_at > clock_timestamp()) LIMIT 1`;

export const ATTEMPTS = `SELECT count(*) FILTER (WHERE t.at > clock_timestamp() - interval '24 hours')::integer AS last_24_hours,
      count(*)::integer AS last_7_days
    FROM contact_attempts t WHERE t.account_id = $1 AND t.number = $2 AND t.at > clock_timestamp() - interval '7 days'`;

const FIND_LISTED = { name: 'find-do-not-call', text: LISTED };

const FIND_ATTEMPTS = { name: 'contact-attempts', text: ATTEMPTS };

/** Parameters: account, numbers in E.164. */
const LISTED_AMONG = {
  name: 'listed-among',
  text: `SELECT n.number FROM unnest($2::text[]) AS n (number) WHERE EXISTS (
      SELECT FROM do_not_call d WHERE d.account_id = $1
        AND d.number IN (SELECT left(n.number, l) FROM generate_series(2, length(n.number)) AS l)
        AND (d.is_prefix OR d.number = n.number) AND (d.expires_at IS NULL OR d.expires_at > now()))`,
};

/** Longer than the longest period that is counted. */
const KEPT_DAYS = 8;

const DELETE_OLD = {
  name: 'delete-old-contact-attempts',
  text: `DELETE FROM contact_attempts WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM contact_attempts WHERE at < now() - interval '${KEPT_DAYS} days' ORDER BY at LIMIT 10000))
    RETURNING 1 AS deleted`,
};

/** The checks of the list and of the contact limits besides those of BeginDialRepository. Prepared: calls and requests run them. */
@Injectable()
export class DialChecksRepository {
  constructor(private readonly database: Database) {}

  /** Whether the list has the number, after changes of the list that are being committed. One round trip. */
  async isListed(accountId: number, { number, beginnings }: ListedNumber): Promise<boolean> {
    const lock: Query = { name: 'share-do-not-call', text: SHARE_LIST, values: [accountId] };
    const found: Query = { ...FIND_LISTED, values: [accountId, number, beginnings] };
    return (await this.database.transactionInOneWrite([lock, found])).length > 0;
  }

  /** No call of the account is dialled until the end of the transaction. */
  async lockList(accountId: number, tx: Sql): Promise<void> {
    await this.database.rows(LOCK_LIST, [accountId], tx);
  }

  /** The id of an entry that covers the number. */
  async listed(accountId: number, { number, beginnings }: ListedNumber): Promise<string | undefined> {
    const [entry] = await this.database.rows<{ id: string }>(FIND_LISTED, [accountId, number, beginnings]);
    return entry?.id;
  }

  /** Those of the numbers that the list has. */
  async listedAmong(accountId: number, numbers: readonly string[], tx?: Sql): Promise<Set<string>> {
    const found = await this.database.rows<{ number: string }>(LISTED_AMONG, [accountId, numbers], tx);
    return new Set(found.map(({ number }) => number));
  }

  /** The attempts that count towards the limits of the account. */
  async attempts(accountId: number, number: string): Promise<ContactAttempts> {
    type Found = ContactAttempts & Record<string, unknown>;
    const [found] = await this.database.rows<Found>(FIND_ATTEMPTS, [accountId, number]);
    return found ?? { last_24_hours: 0, last_7_days: 0 };
  }

  /** Deletes attempts that no longer count, the oldest first, up to 10,000. Returns their number. */
  async deleteOldAttempts(): Promise<number> {
    return (await this.database.rows(DELETE_OLD)).length;
  }
}
