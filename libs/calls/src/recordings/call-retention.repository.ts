import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

export interface ExpiredRecording {
  id: string;
  account_id: number;
  recording_key: string;
}

/** Calls of one account, and of all accounts, in one round. */
const PER_ACCOUNT = 50;
const AT_ONCE = 200;

/** Oldest first; one index look-up for each account that limits the retention. */
const expired = (days: string, condition: string, columns: string): string => `
  SELECT c.* FROM accounts a CROSS JOIN LATERAL (
      SELECT ${columns} FROM calls
       WHERE account_id = a.id AND ${condition} AND ended_at < now() - a.${days} * interval '1 day'
       ORDER BY ended_at LIMIT ${PER_ACCOUNT}) c
   WHERE a.${days} IS NOT NULL LIMIT ${AT_ONCE}`;

const EXPIRED_RECORDINGS = {
  name: 'expired-recordings',
  text: expired(
    'recordings_days',
    'recording_key IS NOT NULL AND id <> ALL ($1::uuid[])',
    'id, account_id, recording_key',
  ),
};
const FORGET_RECORDINGS = {
  name: 'forget-recordings',
  text: `UPDATE calls c SET recording_key = NULL, recording_bytes = NULL, recording_ms = NULL, recording_deleted_at = now()
    FROM unnest($1::integer[], $2::uuid[], $3::text[]) AS d (account_id, id, key)
    WHERE c.id = d.id AND c.account_id = d.account_id AND c.recording_key = d.key`,
};

const EXPIRED_TRANSCRIPTS = {
  name: 'expired-transcripts',
  // Calls with pending deliveries (three days at most) wait.
  text: expired(
    'transcripts_days',
    `ended_at IS NOT NULL AND transcript_deleted_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM webhook_deliveries d WHERE d.call_id = calls.id AND d.state IN ('pending', 'slow'))`,
    'id',
  ),
};
const LOCK_TRANSCRIPTS = {
  name: 'lock-transcripts',
  text: `SELECT id FROM calls WHERE id = ANY ($1::uuid[]) AND transcript_deleted_at IS NULL
    ORDER BY id FOR UPDATE SKIP LOCKED`,
};

/**
 * Deletes words, keys, tool calls and the inputs of commands from all tables in one transaction; statuses, times and transfers of the call stay.
 */
const FORGET_WORDS = [
  {
    name: 'forget-spoken-events',
    text: `DELETE FROM call_events WHERE call_id = ANY ($1::uuid[])
      AND type IN ('turn', 'tool_call', 'transfer_briefing', 'dtmf_received', 'dtmf_input', 'dtmf_sent')`,
  },
  {
    name: 'forget-command-inputs',
    text: `UPDATE call_commands SET input = '{}', input_sealed = NULL, result = NULL WHERE call_id = ANY ($1::uuid[])`,
  },
  { name: 'forget-searched-words', text: 'DELETE FROM call_search WHERE call_id = ANY ($1::uuid[])' },
  { name: 'forget-call-words', text: 'DELETE FROM call_words WHERE call_id = ANY ($1::uuid[])' },
  {
    name: 'forget-contact-analyses',
    text: `UPDATE campaign_contacts c SET analysis = NULL FROM calls k
      WHERE k.id = ANY ($1::uuid[]) AND c.id = k.contact_id AND c.analysis IS NOT NULL`,
  },
  { name: 'forget-analyses', text: 'DELETE FROM call_analyses WHERE call_id = ANY ($1::uuid[])' },
  { name: 'forget-invocations', text: 'DELETE FROM tool_invocations WHERE call_id = ANY ($1::uuid[])' },
  // The body contains the transcript.
  {
    name: 'forget-post-calls',
    text: `DELETE FROM webhook_deliveries WHERE call_id = ANY ($1::uuid[]) AND type IN ('post-call', 'tool-action', 'call-analysis')`,
  },
  {
    name: 'forget-summaries',
    text: 'UPDATE calls SET summary = NULL, transcript_deleted_at = now() WHERE id = ANY ($1::uuid[])',
  },
];

/** Finds and deletes data beyond the retention of accounts. */
@Injectable()
export class CallRetentionRepository {
  constructor(private readonly database: Database) {}

  /** Recordings beyond the retention of their account, the oldest first, without those of the `skipped` calls. */
  expiredRecordings(skipped: readonly string[]): Promise<ExpiredRecording[]> {
    return this.database.rows<ExpiredRecording & Record<string, unknown>>(EXPIRED_RECORDINGS, [skipped]);
  }

  async clearRecordings(recordings: readonly ExpiredRecording[]): Promise<void> {
    await this.database.rows(FORGET_RECORDINGS, [
      recordings.map((recording) => recording.account_id),
      recordings.map((recording) => recording.id),
      recordings.map((recording) => recording.recording_key),
    ]);
  }

  /** The ids of calls whose transcripts are beyond the retention, locked; calls that another worker has locked are left out. */
  async lockExpiredTranscripts(tx: Sql): Promise<string[]> {
    const found = await this.database.rows<{ id: string }>(EXPIRED_TRANSCRIPTS, [], tx);
    const ids = found.map(({ id }) => id);
    return (await this.database.rows<{ id: string }>(LOCK_TRANSCRIPTS, [ids], tx)).map(({ id }) => id);
  }

  /** Deletes transcripts, summaries, tool calls and pressed keys of the calls. */
  async deleteTranscripts(callIds: readonly string[], tx: Sql): Promise<void> {
    for (const statement of FORGET_WORDS) await this.database.rows(statement, [callIds], tx);
  }
}
