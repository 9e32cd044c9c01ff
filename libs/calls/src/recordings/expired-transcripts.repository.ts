import type { RetentionPeriod } from '@app/accounts';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { columnsOf, expired } from './call-retention.repository.js';

/** A call whose transcript is deleted. */
export interface ForgottenCall {
  id: string;
  /** The contact of a campaign that was called. */
  contactId: string | null;
}

/**
 * Calls with pending deliveries (three days at most) wait. Tables: calls, and webhook_deliveries of libs/webhooks: calls that wait must not
 * take the places of others among the oldest.
 */
const EXPIRED_TRANSCRIPTS = {
  name: 'expired-transcripts',
  text: expired(
    `ended_at IS NOT NULL AND transcript_deleted_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM webhook_deliveries d WHERE d.call_id = calls.id AND d.state IN ('pending', 'slow'))`,
    'id',
  ),
};
const LOCK_TRANSCRIPTS = {
  name: 'lock-transcripts',
  text: `SELECT id, contact_id AS "contactId" FROM calls WHERE id = ANY ($1::uuid[]) AND transcript_deleted_at IS NULL
    ORDER BY id FOR UPDATE SKIP LOCKED`,
};

/** Finds transcripts beyond the retention of accounts. */
@Injectable()
export class ExpiredTranscriptsRepository {
  constructor(private readonly database: Database) {}

  /** Calls whose transcripts are beyond the retention, locked; calls that another worker has locked are left out. */
  async lock(periods: readonly RetentionPeriod[], tx: Sql): Promise<ForgottenCall[]> {
    const found = await this.database.rows<{ id: string }>(EXPIRED_TRANSCRIPTS, columnsOf(periods), tx);
    const ids = found.map(({ id }) => id);
    return this.database.rows<ForgottenCall & Record<string, unknown>>(LOCK_TRANSCRIPTS, [ids], tx);
  }
}
