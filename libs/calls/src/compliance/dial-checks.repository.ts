import { Database, type Query, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { OwnedCall } from '../domain/call.js';
import type { ContactAttempts, ContactLimits, LocalTime } from './domain/contact-limits.js';
import type { ListedNumber } from './domain/do-not-call.js';

/** The call that is about to be dialled. */
interface DialledContact {
  accountId: number;
  /** Undefined: the destination is not a number; lists and limits do not apply. */
  contact: ListedNumber | undefined;
  /** The local time in each zone of the number, for the event of the check. */
  localTimes: readonly LocalTime[];
}

/** The result of a check. No row: the call was cancelled, was already dialled, or belongs to another dialer. */
interface DialCheck {
  cause: 'do_not_call' | 'contact_limit' | 'campaign_stopped' | null;
}

/** First key of the advisory locks; the second one is the account. */
const LOCK_CLASS = 7216037;

/** Held while entries of the account change. Waits until the calls that are being dialled are committed, and the next ones wait for it. */
const LOCK_LIST = { name: 'lock-do-not-call', text: `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, $1)` };

const SHARE_LIST = `SELECT pg_advisory_xact_lock_shared(${LOCK_CLASS}, $1)`;

/** Beside the list, the calls to one number are begun one after the other: each counts the ones before it. */
const SHARE_LIST_AND_LOCK_NUMBER = {
  name: 'lock-to-dial',
  text: `${SHARE_LIST}, pg_advisory_xact_lock(hashtextextended($2, $1))`,
};

/** Parameters: account, number, its beginnings. */
const LISTED = `SELECT d.id FROM do_not_call d WHERE d.account_id = $1 AND d.number = ANY ($3::text[])
      AND (d.is_prefix OR d.number = $2) AND (d.expires_at IS NULL OR d.expires_at > clock_timestamp()) LIMIT 1`;

const ATTEMPTS = `SELECT count(*) FILTER (WHERE t.at > clock_timestamp() - interval '24 hours')::integer AS last_24_hours,
      count(*)::integer AS last_7_days
    FROM contact_attempts t WHERE t.account_id = $1 AND t.number = $2 AND t.at > clock_timestamp() - interval '7 days'`;

/**
 * Decides, marks the call as dialled, counts the attempt and writes the proof in one statement, because it is on the way of each INVITE.
 * It runs after SHARE_LIST_AND_LOCK_NUMBER in the same transaction: its snapshot has every entry and attempt that was committed before.
 * The campaign is looked up for its calls only. The event is written for accounts that have a list or limits. clock_timestamp(): the transaction may have waited for the locks.
 */
const BEGIN_DIAL = {
  name: 'begin-dial',
  text: `WITH mine AS MATERIALIZED (
      SELECT id, campaign_id IS NOT NULL AND NOT EXISTS (SELECT FROM campaigns p WHERE p.id = calls.campaign_id
          AND p.status = 'running' AND coalesce((p.schedule->>'end_at')::timestamptz > now(), true)) AS stopped
        FROM calls WHERE id = $4 AND owner = $5 AND started_at IS NULL AND ended_at IS NULL
        AND cancel_requested_at IS NULL FOR UPDATE),
    entry AS MATERIALIZED (${LISTED}),
    attempts AS MATERIALIZED (${ATTEMPTS}),
    decided AS MATERIALIZED (
      SELECT mine.id, l.version, l.changed_at, attempts.*, (SELECT id FROM entry) AS entry_id,
          a.contact_attempts_per_day AS per_day, a.contact_attempts_per_week AS per_week,
          CASE WHEN mine.stopped THEN 'campaign_stopped' WHEN EXISTS (SELECT FROM entry) THEN 'do_not_call'
            WHEN attempts.last_24_hours >= a.contact_attempts_per_day OR attempts.last_7_days >= a.contact_attempts_per_week
              THEN 'contact_limit' END AS cause,
          $2::text IS NOT NULL AND NOT mine.stopped AND (l.version IS NOT NULL OR a.contact_attempts_per_day IS NOT NULL
            OR a.contact_attempts_per_week IS NOT NULL OR a.contact_earliest IS NOT NULL OR a.contact_latest IS NOT NULL) AS noted
        FROM mine CROSS JOIN attempts JOIN accounts a ON a.id = $1 LEFT JOIN do_not_call_lists l ON l.account_id = $1),
    begun AS (
      UPDATE calls c SET started_at = CASE WHEN d.cause IS NULL THEN clock_timestamp() END,
          event_seq = c.event_seq + CASE WHEN d.noted THEN 1 ELSE 0 END
        FROM decided d WHERE c.id = d.id AND (d.cause IS NULL OR d.noted) RETURNING c.event_seq),
    counted AS (
      INSERT INTO contact_attempts (account_id, number, call_id, at)
      SELECT $1, $2, id, clock_timestamp() FROM decided WHERE cause IS NULL AND $2::text IS NOT NULL),
    logged AS (
      INSERT INTO call_events (call_id, seq, type, data)
      SELECT d.id, begun.event_seq, 'compliance_checked', jsonb_build_object(
          'result', coalesce(d.cause, 'allowed'), 'entry_id', d.entry_id, 'list_version', d.version, 'list_changed_at', d.changed_at,
          'attempts', jsonb_build_object('last_24_hours', d.last_24_hours, 'last_7_days', d.last_7_days),
          'limits', jsonb_build_object('attempts_per_day', d.per_day, 'attempts_per_week', d.per_week),
          'local_times', $6::jsonb)
        FROM decided d, begun WHERE d.noted)
    SELECT cause FROM decided`,
};

const FIND_LISTED = { name: 'find-do-not-call', text: LISTED };

const FIND_ATTEMPTS = {
  name: 'contact-status',
  text: `SELECT a.contact_attempts_per_day, a.contact_attempts_per_week, a.contact_earliest, a.contact_latest, a.contact_time_zone, made.*
    FROM accounts a, (${ATTEMPTS}) AS made WHERE a.id = $1`,
};

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

/** The checks of the list and of the contact limits where an INVITE leaves. Prepared: each call runs them. */
@Injectable()
export class DialChecksRepository {
  constructor(private readonly database: Database) {}

  /** Undefined: the call was cancelled, was already dialled, or belongs to another dialer. One round trip. */
  async beginDial(
    { id, owner }: OwnedCall,
    { accountId, contact, localTimes }: DialledContact,
  ): Promise<DialCheck | undefined> {
    const number = contact?.number ?? null;
    const values = [accountId, number, contact?.beginnings ?? [], id, owner, JSON.stringify(localTimes)];
    // Calls to names do not wait for each other.
    const lock: Query = { ...SHARE_LIST_AND_LOCK_NUMBER, values: [accountId, number ?? id] };
    const [check] = await this.database.transactionInOneWrite<DialCheck & Record<string, unknown>>([
      lock,
      { ...BEGIN_DIAL, values },
    ]);
    return check;
  }

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

  /** The limits of the account, and the attempts that count towards them. */
  async attempts(accountId: number, number: string): Promise<ContactLimits & ContactAttempts> {
    type Found = ContactLimits & ContactAttempts & Record<string, unknown>;
    const [found] = await this.database.rows<Found>(FIND_ATTEMPTS, [accountId, number]);
    if (!found) throw new Error('The account of a valid token does not exist.');
    return found;
  }

  /** Deletes attempts that no longer count, the oldest first, up to 10,000. Returns their number. */
  async deleteOldAttempts(): Promise<number> {
    return (await this.database.rows(DELETE_OLD)).length;
  }
}
