import { inTransaction, rows, type Sql } from '@app/database';
import type { SkipList, Storage } from '@app/storage';
import type { Pool } from 'pg';

/** Of one account, and of all accounts, in one round. */
const PER_ACCOUNT = 50;
const AT_ONCE = 200;

/** Oldest first, of accounts that say for how long; one look into an index for each of them. */
const expired = (days: string, condition: string, columns: string): string => `
  SELECT c.* FROM accounts a CROSS JOIN LATERAL (
      SELECT ${columns} FROM calls
       WHERE account_id = a.id AND ${condition} AND ended_at < now() - a.${days} * interval '1 day'
       ORDER BY ended_at LIMIT ${PER_ACCOUNT}) c
   WHERE a.${days} IS NOT NULL LIMIT ${AT_ONCE}`;

const RECORDINGS = {
  name: 'expired-recordings',
  text: expired(
    'recordings_days',
    'recording_key IS NOT NULL AND id <> ALL ($1::uuid[])',
    'id, account_id, recording_key',
  ),
};
const FORGET_RECORDING = {
  name: 'forget-recording',
  text: `UPDATE calls SET recording_key = NULL, recording_bytes = NULL, recording_ms = NULL, recording_deleted_at = now()
    WHERE account_id = $1 AND id = $2 AND recording_key = $3`,
};

/**
 * Deletes recordings that are older than their account wants: the file first, then the call says so. Should the process die in between
 * the next round finds the rest. @returns how many.
 */
export async function deleteExpiredRecordings(
  pool: Pool,
  storage: Storage,
  passedOver: SkipList<string>,
): Promise<number> {
  const found = await rows<{ id: string; account_id: number; recording_key: string }>(pool, RECORDINGS, [
    passedOver.ids,
  ]);
  let deleted = 0;
  for (const { id, account_id: accountId, recording_key: key } of found) {
    if (!(await passedOver.did(id, () => storage.delete(key)))) continue;
    await rows(pool, FORGET_RECORDING, [accountId, id, key]);
    deleted++;
  }
  return deleted;
}

const TRANSCRIPTS = {
  name: 'expired-transcripts',
  // What is still being delivered (three days at most) is waited for.
  text: expired(
    'transcripts_days',
    `ended_at IS NOT NULL AND transcript_deleted_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM webhook_deliveries d WHERE d.call_id = calls.id AND d.state IN ('pending', 'slow'))`,
    'id',
  ),
};
const LOCK = {
  name: 'lock-transcripts',
  text: `SELECT id FROM calls WHERE id = ANY ($1::uuid[]) AND transcript_deleted_at IS NULL
    ORDER BY id FOR UPDATE SKIP LOCKED`,
};

/** What was said, pressed, and told to tools; the course of the call (its statuses, times and transfers) stays. */
const FORGET_WORDS = [
  {
    name: 'forget-spoken-events',
    text: `DELETE FROM call_events WHERE call_id = ANY ($1::uuid[])
      AND type IN ('turn', 'tool_call', 'dtmf_received', 'dtmf_input', 'dtmf_sent')`,
  },
  { name: 'forget-invocations', text: 'DELETE FROM tool_invocations WHERE call_id = ANY ($1::uuid[])' },
  // Its body has the transcript, too.
  {
    name: 'forget-post-calls',
    text: `DELETE FROM webhook_deliveries WHERE call_id = ANY ($1::uuid[]) AND type IN ('post-call', 'tool-action')`,
  },
  {
    name: 'forget-summaries',
    text: 'UPDATE calls SET summary = NULL, transcript_deleted_at = now() WHERE id = ANY ($1::uuid[])',
  },
];

/** Deletes transcripts (with summary, tool calls and keys pressed) that are older than their account wants. @returns of how many calls. */
export async function deleteExpiredTranscripts(pool: Pool): Promise<number> {
  return inTransaction(pool, async (sql) => {
    const calls = await lockedTranscripts(sql);
    if (calls.length > 0) for (const statement of FORGET_WORDS) await rows(sql, statement, [calls]);
    return calls.length;
  });
}

/** Another worker may be at the same ones. */
async function lockedTranscripts(sql: Sql): Promise<string[]> {
  const found = await rows<{ id: string }>(sql, TRANSCRIPTS);
  const locked = await rows<{ id: string }>(sql, LOCK, [found.map(({ id }) => id)]);
  return locked.map(({ id }) => id);
}
