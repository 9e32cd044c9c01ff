import { Database, type Query } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { OwnedCall } from '../domain/call.js';
import { ATTEMPTS, LISTED, SHARE_LIST } from './dial-checks.repository.js';
import type { LocalTime } from './domain/contact-limits.js';
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

/** Beside the list, the calls to one number are begun one after the other: each counts the ones before it. */
const SHARE_LIST_AND_LOCK_NUMBER = {
  name: 'lock-to-dial',
  text: `${SHARE_LIST}, pg_advisory_xact_lock(hashtextextended($2, $1))`,
};

/**
 * Decides, marks the call as dialled, counts the attempt and writes the proof in one statement, because it is on the way of each INVITE.
 * Tables: calls, call_events, contact_attempts, do_not_call, do_not_call_lists; campaigns of libs/campaigns and accounts of libs/accounts, whose
 * limits must not change between the decision and the INVITE.
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

/** The checks where an INVITE leaves. Prepared: each call runs them. */
@Injectable()
export class BeginDialRepository {
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
}
