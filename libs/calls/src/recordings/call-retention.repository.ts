import type { RetentionPeriod } from '@app/accounts';
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
export const expired = (condition: string, columns: string): string => `
  SELECT c.* FROM unnest($1::integer[], $2::integer[]) AS a (id, days) CROSS JOIN LATERAL (
      SELECT ${columns} FROM calls
       WHERE account_id = a.id AND ${condition} AND ended_at < now() - a.days * interval '1 day'
       ORDER BY ended_at LIMIT ${PER_ACCOUNT}) c
   LIMIT ${AT_ONCE}`;

const EXPIRED_RECORDINGS = {
  name: 'expired-recordings',
  text: expired('recording_key IS NOT NULL AND id <> ALL ($3::uuid[])', 'id, account_id, recording_key'),
};
const FORGET_RECORDINGS = {
  name: 'forget-recordings',
  text: `UPDATE calls c SET recording_key = NULL, recording_bytes = NULL, recording_ms = NULL, recording_deleted_at = now()
    FROM unnest($1::integer[], $2::uuid[], $3::text[]) AS d (account_id, id, key)
    WHERE c.id = d.id AND c.account_id = d.account_id AND c.recording_key = d.key`,
};

/** Deletes words, keys, collected values, tool calls and the inputs of commands; statuses, times, steps and transfers of the call stay. */
const FORGET_WORDS = [
  {
    name: 'forget-spoken-events',
    text: `DELETE FROM call_events WHERE call_id = ANY ($1::uuid[])
      AND type IN ('turn', 'tool_call', 'tool_result', 'transfer_briefing', 'dtmf_received', 'dtmf_input', 'dtmf_sent',
        'values_collected', 'handed_over')`,
  },
  {
    name: 'forget-command-inputs',
    text: `UPDATE call_commands SET input = '{}', input_sealed = NULL, result = NULL WHERE call_id = ANY ($1::uuid[])`,
  },
  { name: 'forget-call-words', text: 'DELETE FROM call_words WHERE call_id = ANY ($1::uuid[])' },
  {
    name: 'forget-summaries',
    text: `UPDATE calls SET summary = NULL, transcript_deleted_at = now(),
        flow = CASE WHEN flow IS NOT NULL THEN jsonb_build_object('path', flow->'path', 'agents',
          (SELECT coalesce(jsonb_agg(a - 'reason'), '[]') FROM jsonb_array_elements(flow->'agents') a)) END
      WHERE id = ANY ($1::uuid[])`,
  },
];

/** Deletes recordings beyond the retention of accounts, and what calls have of transcripts. */
@Injectable()
export class CallRetentionRepository {
  constructor(private readonly database: Database) {}

  /** Recordings beyond the retention of their account, the oldest first, without those of the `skipped` calls. */
  expiredRecordings(periods: readonly RetentionPeriod[], skipped: readonly string[]): Promise<ExpiredRecording[]> {
    const values = [...columnsOf(periods), skipped];
    return this.database.rows<ExpiredRecording & Record<string, unknown>>(EXPIRED_RECORDINGS, values);
  }

  async clearRecordings(recordings: readonly ExpiredRecording[]): Promise<void> {
    await this.database.rows(FORGET_RECORDINGS, [
      recordings.map((recording) => recording.account_id),
      recordings.map((recording) => recording.id),
      recordings.map((recording) => recording.recording_key),
    ]);
  }

  /** Deletes transcripts, summaries and pressed keys of the calls. */
  async deleteTranscripts(callIds: readonly string[], tx: Sql): Promise<void> {
    for (const statement of FORGET_WORDS) await this.database.rows(statement, [callIds], tx);
  }
}

export const columnsOf = (periods: readonly RetentionPeriod[]): unknown[] => [
  periods.map(({ accountId }) => accountId),
  periods.map(({ days }) => days),
];
